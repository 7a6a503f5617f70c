import type { FieldSchema, JsonObject } from '../kind.ts';
import { ApplyConflictError, conflictsOf } from './apply-error.ts';
import { type Comparison, compareTyped, ignoring } from './compare.ts';
import { difference, type FieldSet, intersection, isEmptySet, union } from './field-set.ts';
import type { Managers } from './managers.ts';

/** An object and its schema in some version of its kind. */
export interface Versioned {
  readonly object: JsonObject;
  readonly schema: FieldSchema;
}

/** What a write needs to know of versions: its own, and how to see an object in an owner's. */
export interface VersionContext {
  readonly apiVersion: string;
  readonly schema: FieldSchema;
  /** Paths that this endpoint resets and nobody can own through it, such as status on the main resource. */
  readonly reset?: FieldSet | undefined;
  /**
   * The object in another version; undefined where that version no longer exists. Left out, an object is taken to look the
   * same in all versions, as that of a CRD without conversion does.
   */
  readonly convert?: ((object: JsonObject, apiVersion: string) => Versioned | undefined) | undefined;
}

/** The object as an owner at another version sees it. */
export function atVersion(object: JsonObject, apiVersion: string, context: VersionContext): Versioned | undefined {
  if (apiVersion === context.apiVersion || context.convert === undefined) return { object, schema: context.schema };
  return context.convert(object, apiVersion);
}

/**
 * Takes from all managers but `self` what a write removes, and what it changes: the latter only by force, else it is a
 * conflict. Changes the map. Returns what the write changed, in its own version.
 *
 * @throws {ApplyConflictError}
 */
export function takeFromOthers(
  live: JsonObject,
  object: JsonObject,
  managers: Managers,
  self: string,
  force: boolean,
  context: VersionContext,
): Comparison {
  const compareAt = comparer(live, object, context);
  const own = compareAt(context.apiVersion) ?? NO_CHANGE;
  const conflicts: Managers = new Map();
  const rest: Managers = new Map();
  for (const [identity, manager] of managers) {
    if (identity === self) continue;
    const comparison = compareAt(manager.apiVersion);
    if (comparison === undefined) {
      managers.delete(identity);
      continue;
    }
    const changed = intersection(manager.fields, union(comparison.modified, comparison.added));
    if (!isEmptySet(changed)) conflicts.set(identity, { ...manager, fields: changed });
    rest.set(identity, { ...manager, fields: difference(difference(manager.fields, changed), comparison.removed) });
  }
  if (!force && conflicts.size > 0) throw new ApplyConflictError(conflictsOf(conflicts));
  for (const [identity, manager] of rest) {
    if (isEmptySet(manager.fields)) managers.delete(identity);
    else managers.set(identity, manager);
  }
  return own;
}

const NO_CHANGE: Comparison = { removed: {}, modified: {}, added: {} };

function comparer(
  live: JsonObject,
  object: JsonObject,
  context: VersionContext,
): (apiVersion: string) => Comparison | undefined {
  const known = new Map<string, Comparison | undefined>();
  return (apiVersion) => {
    if (!known.has(apiVersion)) {
      const [before, after] = [atVersion(live, apiVersion, context), atVersion(object, apiVersion, context)];
      const comparison =
        before === undefined || after === undefined
          ? undefined
          : ignoring(compareTyped(before.object, after.object, after.schema), context.reset);
      known.set(apiVersion, comparison);
    }
    return known.get(apiVersion);
  };
}
