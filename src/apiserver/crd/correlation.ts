import { jsonEqual } from '../../kube/json-equal.ts';
import type { Json } from '../kind.ts';
import { propertyOf, type Structural } from './structural.ts';

/**
 * A value and the one that stood in its place before, so that what an update leaves as it was can stay invalid
 * (ratcheting), and transition rules find their oldSelf. Children are correlated by name, or by the keys of a list of type
 * map; other lists only as a whole (apiserver's cel/common.CorrelatedObject).
 */
export class Correlation {
  readonly value: Json | undefined;
  readonly old: Json | undefined;
  readonly schema: Structural;
  #equal: boolean | undefined;

  constructor(value: Json | undefined, old: Json | undefined, schema: Structural) {
    this.value = value;
    this.old = old;
    this.schema = schema;
  }

  get unchanged(): boolean {
    this.#equal ??= this.#compare();
    return this.#equal;
  }

  field(name: string): Correlation | undefined {
    const value = memberOf(this.value, name);
    const old = memberOf(this.old, name);
    const schema = propertyOf(this.schema, name);
    return value === undefined || old === undefined || schema === undefined
      ? undefined
      : new Correlation(value, old, schema);
  }

  item(position: number): Correlation | undefined {
    const { items, listType } = this.schema;
    if (listType !== 'map' || items === undefined || !Array.isArray(this.value)) return undefined;
    const value: Json | undefined = this.value[position];
    const old = findByKeys(this.schema, this.old, value);
    return value === undefined || old === undefined ? undefined : new Correlation(value, old, items);
  }

  #compare(): boolean {
    const { value, old } = this;
    if (this.schema.listType === 'map' && Array.isArray(value) && Array.isArray(old)) {
      return value.length === old.length && value.every((_, at) => this.item(at)?.unchanged ?? false);
    }
    return jsonEqual(value, old);
  }
}

const memberOf = (value: Json | undefined, name: string): Json | undefined =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json | undefined>>)[name]
    : undefined;

/** The element of an old list of type map that has the same keys as `item`. */
export const findByKeys = (schema: Structural, list: Json | undefined, item: Json | undefined): Json | undefined => {
  if (schema.listType !== 'map' || !Array.isArray(list)) return undefined;
  for (const candidate of list as readonly Json[]) {
    if (schema.listMapKeys.every((name) => sameKey(schema, name, candidate, item))) return candidate;
  }
  return undefined;
};

const sameKey = (schema: Structural, name: string, left: Json, right: Json | undefined): boolean => {
  const fallback = schema.items?.properties.get(name)?.defaultValue;
  return jsonEqual(memberOf(left, name) ?? fallback, memberOf(right, name) ?? fallback);
};
