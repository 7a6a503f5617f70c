import { isObject } from '../json.ts';
import type { FieldSchemaRef, Json, JsonObject } from '../kind.ts';
import { capUpdaters } from './cap-managers.ts';
import { difference, type FieldSet, isEmptySet, sortedSet, union, withoutTrees } from './field-set.ts';
import { decodeManagers, identify, type Managers, managedFieldsOf, withManagers, withoutManagers } from './managers.ts';
import { ownable } from './never-owned.ts';
import { takeFromOthers, type VersionContext } from './ownership.ts';
import { ListItemError } from './shape.ts';

/** Who writes what, where and when. */
export interface Write {
  readonly apiVersion: string;
  readonly schema: FieldSchemaRef;
  /** See `managerName`. */
  readonly manager: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  /** RFC 3339 in seconds and UTC. */
  readonly now: string;
  /** See `resetFields`. */
  readonly reset?: FieldSet | undefined;
  /** See VersionContext. */
  readonly convert?: VersionContext['convert'];
}

/**
 * The object of a create, update or patch with its metadata.managedFields as they will be after it. `live` is the stored
 * object, or for a create what the kind decodes `{}` to; `object` is what will be stored, defaults included. An object that
 * lists managedFields sets them; an empty list, or one empty entry, stops the tracking for good.
 */
export function updateManagedFields(live: JsonObject, object: JsonObject, write: Write): JsonObject {
  const managers = managersBefore(live, object, write.subresource !== '');
  const plain = withoutManagers(object);
  const exists = isObject(live.metadata) && typeof live.metadata.uid === 'string' && live.metadata.uid !== '';
  if (managers.size === 0 && exists) return plain;
  try {
    trackUpdate(withoutManagers(live), plain, managers, write);
  } catch (error) {
    // A list whose items can't be told apart is for validation to refuse; until then nobody owns anything.
    if (error instanceof ListItemError) return plain;
    throw error;
  }
  return withManagers(plain, managers);
}

/** A subresource can't set managedFields; the main resource may, and keeps the live ones if it doesn't. */
function managersBefore(live: JsonObject, object: JsonObject, subresource: boolean): Managers {
  const given = managedFieldsOf(object);
  const before = (): Managers => decodeManagers(managedFieldsOf(live), true) ?? new Map();
  if (subresource) return before();
  if (isReset(given)) return new Map();
  const managers = decodeManagers(given);
  return managers === undefined || managers.size === 0 ? before() : managers;
}

function isReset(given: Json | undefined): boolean {
  if (!Array.isArray(given)) return false;
  const [entry] = given as readonly Json[];
  return given.length === 0 || (given.length === 1 && isObject(entry) && Object.keys(entry).length === 0);
}

/** Gives what changed from `live` to `object` to the writer. Changes the map. */
export function trackUpdate(live: JsonObject, object: JsonObject, managers: Managers, write: Write): void {
  const context = contextOf(write);
  const comparison = takeFromOthers(live, object, managers, '', true, context);
  const touched = difference(union(comparison.modified, comparison.added), comparison.removed);
  const fields = ownable(write.reset === undefined ? touched : withoutTrees(touched, write.reset));
  if (!isEmptySet(fields)) {
    const { apiVersion, subresource, now } = write;
    const writer = { manager: nameOf(write), operation: 'Update' as const, apiVersion, subresource, time: now };
    const before = managers.get(identify(writer));
    managers.set(identify(writer), {
      ...writer,
      fields: sortedSet(before === undefined ? fields : union(fields, before.fields)),
    });
  }
  capUpdaters(managers);
}

export const contextOf = (write: Write): VersionContext => ({
  apiVersion: write.apiVersion,
  schema: write.schema(),
  reset: write.reset,
  convert: write.convert,
});

export const nameOf = (write: Write): string => (write.manager === '' ? 'unknown' : write.manager);
