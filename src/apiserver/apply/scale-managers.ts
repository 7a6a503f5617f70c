import type { Json, JsonObject } from '../kind.ts';
import { difference, fieldSetOf, hasPath, isEmptySet } from './field-set.ts';
import { decodeManagers, encodeManagers, type Managers } from './managers.ts';

const SCALE_VERSION = 'autoscaling/v1';
const SCALE_REPLICAS = ['f:spec', 'f:replicas'];

/** Where a kind keeps its number of replicas: as a rule `['f:spec', 'f:replicas']`. */
export type ReplicasPath = readonly string[];

/** The managedFields of a Scale: the parent's owners of its number of replicas. */
export function scaleManagedFields(parent: Json | undefined, path: ReplicasPath): readonly JsonObject[] | undefined {
  const managers: Managers = new Map();
  for (const [identity, manager] of decodeManagers(parent) ?? []) {
    if (!hasPath(manager.fields, path)) continue;
    managers.set(identity, { ...manager, apiVersion: SCALE_VERSION, fields: fieldSetOf(SCALE_REPLICAS) });
  }
  return encodeManagers(managers);
}

/** The parent's managedFields after its Scale was written, which has `scale` as managedFields now. */
export function parentManagedFields(
  parent: Json | undefined,
  scale: Json | undefined,
  apiVersion: string,
  path: ReplicasPath,
): readonly JsonObject[] | undefined {
  const owners = byName(decodeManagers(scale) ?? new Map());
  const result: Managers = new Map();
  for (const [identity, manager] of decodeManagers(parent) ?? []) {
    const name = nameOf(identity);
    if (!hasPath(manager.fields, path) || owners.delete(name)) {
      result.set(identity, manager);
      continue;
    }
    const fields = difference(manager.fields, fieldSetOf(path));
    if (!isEmptySet(fields)) result.set(identity, { ...manager, fields });
  }
  for (const [identity, manager] of owners.values()) {
    if (!hasPath(manager.fields, SCALE_REPLICAS)) continue;
    const { time: _, ...timeless } = manager;
    result.set(identity, { ...timeless, apiVersion, fields: fieldSetOf(path) });
  }
  return encodeManagers(result);
}

type Entry = readonly [identity: string, manager: Managers extends Map<string, infer M> ? M : never];

const byName = (managers: Managers): Map<string, Entry> =>
  new Map([...managers].map((entry): [string, Entry] => [nameOf(entry[0]), entry]));

/** An updater's identity holds its version, which differs between a Scale and its parent. */
function nameOf(identity: string): string {
  const { apiVersion: _, ...rest } = JSON.parse(identity) as JsonObject;
  return JSON.stringify(rest);
}
