import { asArray, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { metaOf } from '../object-meta.ts';
import { selectorText } from '../subresources/selector-text.ts';
import { ageOf } from './age.ts';
import type { RowContext } from './table.ts';

/** Pieces of cells that several kinds show. */

export const NONE = '<none>';
export const UNKNOWN = '<unknown>';

export const age = (object: JsonObject, { now }: RowContext): string => ageOf(metaOf(object).creationTimestamp, now);
export const orNone = (value: unknown): string => asString(value) || NONE;

/** `a, b` of a list; nothing for an empty one. */
export const joined = (values: readonly unknown[], separator = ','): string => values.map(String).join(separator);

export const containerNames = (podSpec: JsonObject): string =>
  joined(asObjects(podSpec.containers).map(({ name }) => name));
export const containerImages = (podSpec: JsonObject): string =>
  joined(asObjects(podSpec.containers).map(({ image }) => image ?? ''));
export const templateSpec = (object: JsonObject): JsonObject => asObject(asObject(asObject(object.spec).template).spec);

/** A selector as text; `<none>` for one that selects everything. */
export const selectorCell = (selector: unknown): string => selectorText(asObject(selector)) || NONE;

/** The same for labels. */
export const labelsCell = (labels: unknown): string => {
  const entries = Object.entries(asObject(labels)).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? NONE : joined(entries.map(([key, value]) => `${key}=${String(value)}`));
};

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** Access modes in short, in a fixed order, each once. */
export function accessModes(value: unknown): string {
  const given = new Set(asArray(value).map(asString));
  return Object.entries(modes)
    .filter(([mode]) => given.has(mode))
    .map(([, short]) => short)
    .join(',');
}

/** The condition of a type; an empty object without it. */
export const conditionOf = (object: JsonObject, type: string): JsonObject =>
  asObjects(asObject(object.status).conditions).find((condition) => condition.type === type) ?? {};

export const isTrue = (object: JsonObject, type: string): boolean => conditionOf(object, type).status === 'True';
