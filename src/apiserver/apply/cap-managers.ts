import { sortedSet, union } from './field-set.ts';
import { compareText, identify, type Managers } from './managers.ts';

const MOST_UPDATERS = 10;

/**
 * Joins the oldest updaters into one called `ancient-changes` per version, until at most ten are left (apimachinery
 * managedfields capmanagers.go). Changes the map.
 */
export function capUpdaters(managers: Managers): void {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  updaters.sort(
    ([identityA, a], [identityB, b]) => compareText(a.time ?? '', b.time ?? '') || compareText(identityA, identityB),
  );
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [identity, updater] of updaters) {
    if (count <= MOST_UPDATERS) return;
    const { apiVersion, time } = updater;
    const first = firstOfVersion.get(apiVersion);
    if (first === undefined) {
      firstOfVersion.set(apiVersion, identity);
      continue;
    }
    const ancient = { manager: 'ancient-changes', operation: 'Update' as const, apiVersion, subresource: '' };
    const bucket = identify(ancient);
    const joined = managers.get(bucket) ?? managers.get(first);
    if (!managers.has(bucket)) managers.delete(first);
    managers.delete(identity);
    const fields = joined === undefined ? updater.fields : sortedSet(union(joined.fields, updater.fields));
    managers.set(bucket, { ...ancient, ...(time === undefined ? {} : { time }), fields });
    count--;
  }
}
