import type { Client } from '../../src/kube/client.ts';

/** The client with some of its methods replaced. */
export function alteredClient(base: Client, changes: Partial<Client>): Client {
  return {
    get: (...args) => base.get(...args),
    list: (...args) => base.list(...args),
    watch: (...args) => base.watch(...args),
    create: (...args) => base.create(...args),
    update: (...args) => base.update(...args),
    patch: (...args) => base.patch(...args),
    delete: (...args) => base.delete(...args),
    ...changes,
  };
}
