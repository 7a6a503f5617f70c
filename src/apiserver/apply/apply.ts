import { jsonEqual } from '../../kube/json-equal.ts';
import { isObject } from '../json.ts';
import type { FieldSchema, Json, JsonObject } from '../kind.ts';
import { ApplyConflictError, ApplyError } from './apply-error.ts';
import { checkTyped } from './check-typed.ts';
import {
  difference,
  type FieldSet,
  fieldSetOf,
  hasPath,
  intersection,
  isEmptySet,
  sortedSet,
  union,
  withoutTrees,
} from './field-set.ts';
import { refreshLastApplied, unchangedSinceLastApplied } from './last-applied.ts';
import {
  decodeManagers,
  identify,
  type Manager,
  type Managers,
  managedFieldsOf,
  withManagers,
  withoutManagers,
} from './managers.ts';
import { mergeTyped } from './merge-typed.ts';
import { ownable } from './never-owned.ts';
import { atVersion, takeFromOthers, type VersionContext } from './ownership.ts';
import { removeItems } from './remove-items.ts';
import { ListItemError } from './shape.ts';
import { toFieldSet, withNamedFields } from './to-field-set.ts';
import { contextOf, nameOf, trackUpdate, type Write } from './update.ts';

/** A server-side apply. */
export interface Apply extends Write {
  readonly kind: string;
  /** Takes fields from their owners instead of failing. */
  readonly force: boolean;
  /** What the kind decodes `{}` to; the object as it is before anything is in it. */
  readonly empty: JsonObject;
}

/**
 * The live object with a configuration applied to it, and its metadata.managedFields after that. For an object that doesn't
 * exist yet, `live` is `apply.empty`. The result is yet to be decoded, defaulted and validated; it equals `live` where the
 * apply changes nothing (upstream: structured-merge-diff merge/update.go and apimachinery managedfields).
 *
 * @throws {ApplyConflictError} where another manager owns a field that would change.
 * @throws {ApplyError} for a configuration of another type, with managedFields, or that doesn't fit the schema.
 */
export function applyConfiguration(live: JsonObject, config: JsonObject, apply: Apply): JsonObject {
  checkConfiguration(config, apply);
  const managers = decodeManagers(managedFieldsOf(live), true);
  if (managers === undefined) throw new ApplyError(500, 'failed to decode managed fields');
  const plain = withoutManagers(live);
  if (managers.size === 0) {
    // Whatever is there was set by somebody before anybody kept track.
    trackUpdate(apply.empty, plain, managers, { ...apply, manager: 'before-first-apply' });
  }
  try {
    const [object, owners] = mergeAs(plain, config, managers, apply);
    return withManagers(object, owners);
  } catch (error) {
    if (!(error instanceof ListItemError)) throw error;
    throw new ApplyError(500, `failed to create typed live object (${nameAndKind(live, apply)}): ${error.message}`);
  }
}

function checkConfiguration(config: JsonObject, apply: Apply): void {
  const [apiVersion, kind] = [text(config.apiVersion), text(config.kind)];
  if (apiVersion !== apply.apiVersion || kind !== apply.kind) {
    throw new ApplyError(400, `invalid object type: ${printKind(apiVersion, kind)}`);
  }
  const metadata = isObject(config.metadata) ? config.metadata : {};
  if (metadata.managedFields !== undefined && metadata.managedFields !== null) {
    throw new ApplyError(400, 'metadata.managedFields must be nil');
  }
  const faults = checkTyped(config, apply.schema());
  if (faults.length === 0) return;
  const list = faults.length === 1 ? faults.join() : ['errors:', ...faults.map((line) => `  ${line}`)].join('\n');
  throw new ApplyError(500, `failed to create typed patch object (${nameAndKind(config, apply)}): ${list}`);
}

function nameAndKind(object: JsonObject, { apiVersion, kind }: Apply): string {
  const { namespace, name } = isObject(object.metadata) ? object.metadata : {};
  return `${text(namespace)}/${text(name)}; ${printKind(apiVersion, kind)}`;
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function printKind(apiVersion: string, kind: string): string {
  const groupVersion = apiVersion.includes('/') || apiVersion === '' ? apiVersion || '/' : `/${apiVersion}`;
  return `${groupVersion}, Kind=${kind}`;
}

type Merged = readonly [object: JsonObject, managers: Managers];

/** kubectl may take over what its client-side apply set: such conflicts don't count. */
function mergeAs(live: JsonObject, config: JsonObject, managers: Managers, apply: Apply): Merged {
  if (nameOf(apply) !== 'kubectl') return merge(live, config, managers, apply);
  const [object, owners] = mergeOverLastApplied(live, config, managers, apply);
  return [refreshLastApplied(object, config), owners];
}

function mergeOverLastApplied(live: JsonObject, config: JsonObject, managers: Managers, apply: Apply): Merged {
  try {
    return merge(live, config, managers, apply);
  } catch (error) {
    if (!(error instanceof ApplyConflictError)) throw error;
    const allowed = unchangedSinceLastApplied(live, apply.apiVersion, apply.schema());
    if (allowed === undefined) throw error;
    const left = error.conflicts.filter(({ path }) => !hasPath(allowed, path));
    if (left.length > 0) throw new ApplyConflictError(left);
    return merge(live, config, managers, { ...apply, force: true });
  }
}

function merge(live: JsonObject, config: JsonObject, before: Managers, apply: Apply): Merged {
  const context = contextOf(apply);
  const { apiVersion, subresource } = apply;
  const applier = { manager: nameOf(apply), operation: 'Apply' as const, apiVersion, subresource };
  const self = identify(applier);
  const managers: Managers = new Map(before);
  const last = before.get(self);
  const applied = toFieldSet(config, context.schema);
  const fields = apply.reset === undefined ? applied : withoutTrees(applied, apply.reset);
  managers.set(self, { ...applier, ...(last?.time === undefined ? {} : { time: last.time }), fields });
  const merged = mergeTyped(live, config, context.schema) as JsonObject;
  const object = last === undefined ? merged : prune(merged, last, managers, context);
  takeFromOthers(live, object, managers, self, apply.force, context);
  const changed = !jsonEqual(live, object);
  const owned = ownable(fields);
  if (isEmptySet(owned)) managers.delete(self);
  else {
    const time = changed ? apply.now : last?.time;
    managers.set(self, { ...applier, ...(time === undefined ? {} : { time }), fields: sortedSet(owned) });
  }
  return [changed ? object : live, managers];
}

/** Removes what the applier applied last time but not now, unless somebody else owns it or something in it. */
function prune(merged: JsonObject, last: Manager, managers: Managers, context: VersionContext): JsonObject {
  const versioned = isEmptySet(last.fields) ? undefined : atVersion(merged, last.apiVersion, context);
  if (versioned === undefined) return merged;
  const { object, schema } = versioned;
  const everything = named(object, schema);
  const lastSet = withNamedFields(last.fields, schema);
  const owned = [...managers.values()].reduce<FieldSet>((set, { fields }) => union(set, fields), fieldSetOf());
  const removed = removeItems(object, lastSet, schema);
  const keep = union(named(removed, schema), withNamedFields(owned, schema));
  const pruned = removeItems(object, difference(everything, keep), schema);
  // What vanished along with its parent but was never the applier's comes back.
  const gone = difference(everything, named(pruned, schema));
  const result = removeItems(object, intersection(gone, lastSet), schema) as JsonObject;
  return atVersion(result, context.apiVersion, { ...context, apiVersion: last.apiVersion })?.object ?? merged;
}

const named = (object: Json, schema: FieldSchema): FieldSet =>
  object === null ? fieldSetOf() : withNamedFields(toFieldSet(object, schema), schema);
