import { Optional } from '@marcbachmann/cel-js';
import { isObject } from '../../json.ts';
import type { Json } from '../../kind.ts';
import { PatchObject } from './patch-objects.ts';

/** JSON as CEL sees objects without a schema: whole numbers are ints, all else is what it is. */
export const fromJson = (value: Json | undefined): unknown => {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return (value as readonly Json[]).map(fromJson);
  if (!isObject(value)) return value;
  const out: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) if (item !== undefined) out[name] = fromJson(item);
  return out;
};

const isUnsigned = (value: object): boolean => typeof value.valueOf() === 'bigint';

/** A CEL value as JSON. @throws Error for values that JSON can't hold. */
export const toJson = (value: unknown): Json => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (isUnsigned(value)) return Number(value.valueOf());
  if (value instanceof Optional) return value.hasValue() ? toJson(value.value()) : null;
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Date) return value.toISOString().replace('.000Z', 'Z');
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof PatchObject) return fromEntries(value.fields);
  if (value instanceof Map) return fromEntries(value as ReadonlyMap<string, unknown>);
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    return fromEntries(new Map(Object.entries(value)));
  }
  throw new Error(`unsupported type conversion to JSON: ${String(value)}`);
};

const fromEntries = (entries: ReadonlyMap<string, unknown>): Json =>
  Object.fromEntries([...entries].map(([name, item]) => [name, toJson(item)]));
