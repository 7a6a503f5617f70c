import { isObject } from '../json.ts';
import type { FieldSchema, FieldSchemaRef, Json, JsonObject } from '../kind.ts';
import { goPrint } from './go-print.ts';
import { isJsonList } from './json-list.ts';
import { mergeLists, mergesItems, orderLike } from './merge-lists.ts';
import { PatchError } from './patch-error.ts';

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList';
const ELEMENT_ORDER = '$setElementOrder';

type Fields = Map<string, Json>;

/**
 * The object after a strategic merge patch, with the merge keys and strategies of the schema (apimachinery
 * pkg/util/strategicpatch). The result may hold fields that the kind doesn't have; decoding it tells. Changes nothing.
 *
 * @throws {PatchError} 400, 422 or 500 with upstream's message.
 */
export function applyStrategicMergePatch(original: JsonObject, patch: JsonObject, schema: FieldSchemaRef): JsonObject {
  return mergeObjects(original, patch, schema());
}

function mergeObjects(original: JsonObject, patch: JsonObject, schema: FieldSchema | undefined): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive !== undefined) return wholeObject(directive, patch);
  const result: Fields = new Map();
  for (const [key, value] of Object.entries(original)) if (value !== undefined) result.set(key, value);
  const rest: Fields = new Map();
  for (const [key, value] of Object.entries(patch)) if (value !== undefined) rest.set(key, value);
  retainKeys(result, rest);
  applyElementOrders(result, rest, schema);
  for (const [key, value] of rest) {
    if (key.startsWith(DELETE_FROM)) deleteFromList(result, key, value);
    else mergeField(result, key, value, schema);
  }
  return Object.fromEntries(result);
}

/** `$patch` on an object: take it as it is, or nothing of either. */
function wholeObject(directive: Json, patch: JsonObject): JsonObject {
  if (directive === 'delete') return {};
  if (directive !== 'replace') {
    throw new PatchError(500, `unknown patch type: ${goPrint(directive)} in map: ${goPrint(patch)}`);
  }
  const { [DIRECTIVE]: _, ...rest } = patch;
  return rest;
}

function mergeField(result: Fields, key: string, value: Json, schema: FieldSchema | undefined): void {
  const old = result.get(key);
  if (value === null) {
    result.delete(key);
  } else if (isObject(old) && isObject(value)) {
    const field = fieldOf(schema, key);
    const replaces = field.kind === 'struct' && field.patchStrategy === 'replace';
    result.set(key, replaces ? value : mergeObjects(old, value, field));
  } else if (isJsonList(old) && isJsonList(value)) {
    const field = fieldOf(schema, key);
    result.set(key, mergesItems(field) ? mergeListField(old, value, field) : value);
  } else {
    const clean = withoutDirectives(value);
    if (clean === undefined) result.delete(key);
    else result.set(key, clean);
  }
}

type ListSchema = Extract<FieldSchema, { kind: 'list' }>;

const mergeListField = (old: readonly Json[], patch: readonly Json[], field: ListSchema): readonly Json[] =>
  mergeLists(old, patch, field.patchMergeKey, (left, right) => mergeObjects(left, right, field.items()));

function fieldOf(schema: FieldSchema | undefined, key: string): FieldSchema {
  const ref =
    schema?.kind === 'struct' && Object.hasOwn(schema.fields, key)
      ? schema.fields[key]
      : schema?.kind === 'map'
        ? schema.values
        : undefined;
  if (ref === undefined) throw new PatchError(500, `unable to find api field in struct for the json field "${key}"`);
  return ref();
}

/** A value that had nothing to merge with, without what is only a directive; of its nulls, `keepNulls` says. */
function withoutDirectives(value: Json, keepNulls = false): Json | undefined {
  if (isJsonList(value)) {
    return value.map((item) => withoutDirectives(item, keepNulls)).filter((item) => item !== undefined);
  }
  if (!isObject(value)) return value;
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const kept: [string, Json][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined || (item === null && !keepNulls)) continue;
    const clean = withoutDirectives(item, keepNulls);
    if (clean !== undefined) kept.push([key, clean]);
  }
  return Object.fromEntries(kept);
}

/** `$retainKeys`: whatever it doesn't name goes; the patch may not set more than it names. */
function retainKeys(result: Fields, patch: Fields): void {
  const named = patch.get(RETAIN_KEYS);
  if (named === undefined) return;
  patch.delete(RETAIN_KEYS);
  const malformed = new PatchError(400, 'invalid patch format of retainKeys');
  if (!isJsonList(named)) throw malformed;
  for (const [key, value] of patch) {
    const aside = value === null || key.startsWith(DELETE_FROM) || key.startsWith(ELEMENT_ORDER);
    if (!aside && !named.includes(key)) throw malformed;
  }
  for (const key of result.keys()) if (!named.includes(key)) result.delete(key);
}

function deleteFromList(result: Fields, directive: string, values: Json): void {
  const key = target(directive, DELETE_FROM, 'primitive list');
  const old = result.get(key);
  if (isJsonList(old) && isJsonList(values)) {
    result.set(
      key,
      old.filter((item) => !values.includes(item)),
    );
  }
}

function target(directive: string, prefix: string, name: string): string {
  if (directive.startsWith(`${prefix}/`)) return directive.slice(prefix.length + 1);
  throw new PatchError(400, `invalid patch format of ${name}`);
}

/** `$setElementOrder/x`: merges list x with its patch at once, and puts it in the order that the directive lists. */
function applyElementOrders(result: Fields, patch: Fields, schema: FieldSchema | undefined): void {
  for (const [directive, order] of [...patch]) {
    if (!directive.startsWith(ELEMENT_ORDER)) continue;
    patch.delete(directive);
    if (!isJsonList(order)) throw badArgument(order);
    const key = target(directive, ELEMENT_ORDER, 'setElementOrder list');
    const [old, change] = [result.get(key), patch.get(key)];
    if (old !== undefined && !isJsonList(old)) throw badArgument(old);
    if (change !== undefined && !isJsonList(change)) throw badArgument(change);
    const field = fieldOf(schema, key);
    const mergeKey = field.kind === 'list' ? field.patchMergeKey : undefined;
    checkOrder(change ?? [], order, mergeKey);
    if (old === undefined && change === undefined) continue;
    const merged = mergeOrdered(old, change, field);
    if (!old?.length && !change?.length) throw new PatchError(500, 'no elements in any of the given slices');
    result.set(key, orderLike(merged, order, old ?? [], mergeKey));
    patch.delete(key);
  }
}

function mergeOrdered(
  old: readonly Json[] | undefined,
  change: readonly Json[] | undefined,
  field: FieldSchema,
): readonly Json[] {
  if (change === undefined) return old ?? [];
  if (old === undefined)
    return change.map((item) => withoutDirectives(item, true)).filter((item) => item !== undefined);
  return mergesItems(field) ? mergeListField(old, change, field) : change;
}

const badArgument = (found: Json): PatchError =>
  new PatchError(500, `expected a []interface {}, but received a ${goType(found)}`);

function goType(value: Json): string {
  if (value === null) return '%!s(<nil>)';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Number.isInteger(value) ? 'int64' : 'float64';
}

/** The patch's items must appear in the order list, in the same relative order; deletions don't count. */
function checkOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string | undefined): void {
  if (patch.length === 0 || order.length === 0) return;
  const identity = (item: Json): Json | undefined => (mergeKey !== undefined && isObject(item) ? item[mergeKey] : item);
  const isDirective = (item: Json): boolean => isObject(item) && Object.hasOwn(item, DIRECTIVE);
  const wanted = patch.filter((item) => !(isObject(item) && item[DIRECTIVE] === 'delete'));
  let [next, place] = [0, 0];
  while (next < wanted.length && place < order.length) {
    const current = wanted[next] ?? null;
    if (isDirective(current)) next++;
    else if (identity(current) === identity(order[place++] ?? null)) next++;
  }
  if (next >= wanted.length) return;
  const lists = `\n${goPrint(patch)}\n doesn't match ${ELEMENT_ORDER} list:\n${goPrint(order)}\n`;
  throw new PatchError(500, `The order in patch list:${lists}`);
}
