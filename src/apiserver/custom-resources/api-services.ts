import type { Clock, Random } from '../../kube/clock.ts';
import { asObject, timestamp } from '../json.ts';
import { metaOf, withMeta } from '../object-meta.ts';
import type { Catalog } from '../registry/catalog.ts';
import { apiServiceName, type LocalVersion, localApiService } from '../registry/local-api-services.ts';
import type { Store } from '../store/store.ts';

const collection = 'apiregistration.k8s.io/apiservices';
const automanaged = 'kube-aggregator.kubernetes.io/automanaged';

export interface ApiServicesDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly random: Random;
}

/** Keeps one APIService per version that is served, and takes those of versions away that no definition has any more. */
export function writeApiServices({ store, catalog, clock, random }: ApiServicesDeps): void {
  const served = new Map<string, readonly [LocalVersion, boolean]>();
  for (const { name: group, versions } of catalog.groups()) {
    for (const version of versions) {
      const one = { group, version };
      if (group !== 'apiregistration.k8s.io')
        served.set(apiServiceName(one), [one, !catalog.isBuiltIn(group, version)]);
    }
  }
  const now = clock.now();
  for (const [name, [version, custom]] of served) {
    if (store.get(collection, name)) continue;
    const meta = { uid: random.uuid(), creationTimestamp: timestamp(now) };
    store.put(collection, name, withMeta(localApiService(version, custom, now), meta));
  }
  for (const [name, service] of store.list(collection)) {
    if (!served.has(name) && asObject(metaOf(service).labels)[automanaged] === 'true') store.remove(collection, name);
  }
}
