import { asObject } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { namespaceOf } from '../object-meta.ts';
import type { ObjectReader } from '../registry/admission-chain.ts';
import { sumAmounts } from './pod-amounts.ts';
import { scopesOf, usedIn } from './resource-quotas.ts';

const PLAIN: ReadonlySet<string> = new Set(['configmaps', 'replicationcontrollers', 'resourcequotas', 'secrets']);

/** The collection whose objects a limit of a quota counts. */
const collectionOf = (name: string): string => {
  const counted = /^count\/([^.]+)(?:\.(.+))?$/.exec(name);
  if (counted !== null) return counted[2] === undefined ? (counted[1] ?? '') : `${counted[2]}/${counted[1]}`;
  if (PLAIN.has(name)) return name;
  if (name === 'services' || name.startsWith('services.')) return 'services';
  const ofClaims = name === 'persistentvolumeclaims' || name === 'requests.storage' || name.includes('.storageclass.');
  return ofClaims ? 'persistentvolumeclaims' : 'pods';
};

const namesOf = (quota: JsonObject): readonly string[] => Object.keys(asObject(asObject(quota.spec).hard));

/** All collections that a quota counts. */
export const collectionsOf = (quota: JsonObject): readonly string[] => [...new Set(namesOf(quota).map(collectionOf))];

/** How much of each of its limits a quota's namespace uses. */
export const usedOf = (quota: JsonObject, objects: ObjectReader): JsonObject => {
  const scopes = scopesOf(quota);
  const totals = new Map(
    collectionsOf(quota).map((collection) => [collection, usedIn(collection, namespaceOf(quota), objects, scopes, '')]),
  );
  return Object.fromEntries(
    namesOf(quota)
      .toSorted()
      .map((name) => [name, sumAmounts({ [name]: totals.get(collectionOf(name))?.[name] ?? '0' })[name]]),
  );
};
