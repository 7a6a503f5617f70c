import type { Store } from '../store/store.ts';
import type { ObjectReader } from './admission-chain.ts';

export const readerOf = (store: Store): ObjectReader => ({
  get: (collection, namespace, name) => store.get(collection, namespace ? `${namespace}/${name}` : name),
  list: (collection, namespace) => store.list(collection, namespace ? `${namespace}/` : '').map(([, object]) => object),
});
