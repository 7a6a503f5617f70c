import { durationProblem, parseDuration } from '../../apis/duration.ts';
import { canonicalQuantity, QuantityError } from '../../kube/quantity.ts';
import { isObject } from '../json.ts';
import { FieldTypeError, type Json, type JsonObject } from '../kind.ts';
import { Base64Error, canonicalBase64 } from './base64.ts';
import { roundToMilli } from './conversions.ts';
import { DecodeContext } from './decode-context.ts';
import { canonicalTime, GoTimeError } from './go-time.ts';
import type { Field, GoType, ListType, MapType, ScalarType, SpecialType, StructType } from './go-type.ts';

/** What decoding gives: the object as it looks after a round trip through Go, and what it had to leave out. */
export interface Decoded {
  readonly object: JsonObject;
  /** In document order, at most 100, for example `unknown field "spec.foo"`. */
  readonly unknown: readonly string[];
}

/**
 * Decodes JSON into a built-in struct and encodes it again, as kube-apiserver's typed round trip through storage does:
 * unknown fields and nulls go, absent fields that are always written come, quantities, times and base64 become canonical,
 * empty lists and maps become absent. Fields come out in Go's order.
 *
 * @throws {FieldTypeError} where a value can't be decoded, in the words of Go's decoder.
 */
export function decode(value: Json, struct: StructType): Decoded {
  const context = new DecodeContext();
  const object = decodeValue(value, struct, context) as JsonObject | undefined;
  if (context.mismatch !== undefined) throw new FieldTypeError(context.mismatch);
  return { object: object ?? struct.zero, unknown: context.unknown };
}

/** The value after the round trip; undefined where Go would hold nil. */
function decodeValue(value: Json | undefined, type: GoType, context: DecodeContext): Json | undefined {
  switch (type.kind) {
    case 'pointer':
      return value === null || value === undefined ? undefined : decodeValue(value, type.element, context);
    case 'struct':
      if (value === null || value === undefined) return type.zero;
      if (!isObject(value)) return context.wrongType(value, type.go);
      return decodeStruct(value, type, context);
    case 'list':
      return decodeList(value, type, context);
    case 'map':
      return decodeMap(value, type, context);
    case 'scalar':
      return value === null || value === undefined ? zero(type) : decodeScalar(value, type, context);
    case 'special':
      return value === null || value === undefined ? zero(type) : decodeSpecial(value, type, context);
  }
}

function decodeStruct(value: JsonObject, struct: StructType, context: DecodeContext): JsonObject {
  const { fields, byName } = struct;
  const decoded = new Map<Field, Json | undefined>();
  for (const key in value) {
    const raw = value[key];
    if (raw === undefined) continue;
    const field = byName.get(key);
    if (field === undefined) {
      context.foundUnknown(key);
      continue;
    }
    context.enter(field);
    decoded.set(field, decodeValue(raw, field.type, context));
    context.leave();
  }
  const result: Record<string, Json> = {};
  for (const field of fields) {
    const known = decoded.get(field);
    if (known === undefined && field.omitEmpty && !field.alwaysWritten) continue;
    const written = known ?? absent(field.type);
    if (field.omitEmpty && isEmpty(written, field.type)) continue;
    if (field.omitZero && (written === undefined || written === null)) continue;
    result[field.name] = written ?? null;
  }
  return struct.convert === undefined ? result : struct.convert(result);
}

/** What Go writes for a field that wasn't there. */
function absent(type: GoType): Json | undefined {
  if (type.kind === 'struct') return type.zero;
  return type.kind === 'scalar' || type.kind === 'special' ? zero(type) : undefined;
}

/** What Go writes for a struct that nobody filled. */
export const zeroStruct = (struct: StructType): JsonObject => decodeStruct({}, struct, new DecodeContext());

/** An empty managedFields list is a request to forget the managers, so it must not get lost. */
const MANAGED_FIELDS = 'apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry';

function decodeList(value: Json | undefined, type: ListType, context: DecodeContext): Json | undefined {
  if (value === null || value === undefined) return undefined;
  if (!Array.isArray(value)) return context.wrongType(value, type.go);
  if (value.length === 0) return type.element.kind === 'struct' && type.element.id === MANAGED_FIELDS ? [] : undefined;
  return value.map((item: Json, index) => {
    context.enter(index);
    const result = decodeValue(item, type.element, context) ?? null;
    context.leave();
    return result;
  });
}

const RESOURCE_LIST = 'v1.ResourceList';

function decodeMap(value: Json | undefined, type: MapType, context: DecodeContext): Json | undefined {
  if (value === null || value === undefined) return undefined;
  if (!isObject(value)) return context.wrongType(value, type.go);
  const result: Record<string, Json> = {};
  let empty = true;
  for (const key of Object.keys(value)) {
    const raw = value[key];
    if (raw === undefined) continue;
    empty = false;
    context.enter(key);
    const decoded = decodeValue(raw, type.value, context) ?? nilInMap(type.value);
    set(result, key, type.go === RESOURCE_LIST ? roundToMilli(decoded) : decoded);
    context.leave();
  }
  return empty ? undefined : result;
}

/** Storage keeps nothing in a map as an empty value, where it can. */
function nilInMap(type: GoType): Json {
  if (type.kind === 'list') return [];
  return type.kind === 'scalar' && type.base === 'bytes' ? '' : null;
}

/** `__proto__` is a key like any other in JSON. */
function set(target: Record<string, Json>, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

const INTEGER_RANGES: Readonly<Record<string, readonly [number, number]>> = {
  int: [-(2 ** 63), 2 ** 63],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-(2 ** 63), 2 ** 63],
  uint8: [0, 255],
  uint32: [0, 2 ** 32 - 1],
  uint64: [0, 2 ** 64],
};

function decodeScalar(value: Json, type: ScalarType, context: DecodeContext): Json | undefined {
  switch (type.base) {
    case 'string':
      return typeof value === 'string' ? value : context.wrongType(value, type.go);
    case 'bool':
      return typeof value === 'boolean' ? value : context.wrongType(value, type.go);
    case 'float64':
      return typeof value === 'number' ? value : context.wrongType(value, type.go);
    case 'bytes':
      if (typeof value !== 'string') return context.wrongType(value, type.go);
      try {
        return canonicalBase64(value);
      } catch (error) {
        if (!(error instanceof Base64Error)) throw error;
        return context.wrong(error.message);
      }
    default:
      return decodeInteger(value, type, context);
  }
}

function decodeInteger(value: Json, type: ScalarType, context: DecodeContext): Json | undefined {
  if (typeof value !== 'number') return context.wrongType(value, type.go);
  const [low, high] = INTEGER_RANGES[type.base] ?? [0, 0];
  if (!Number.isInteger(value) || value < low || value > high) return context.wrongNumber(value, type.go);
  return value;
}

function decodeSpecial(value: Json, type: SpecialType, context: DecodeContext): Json | undefined {
  switch (type.name) {
    case 'time':
    case 'microtime':
      if (typeof value !== 'string') throw context.refusal(value, 'string');
      return attempt(() => canonicalTime(value, type.name === 'time' ? 'seconds' : 'micros'));
    case 'quantity':
      return attempt(() => canonicalQuantity((typeof value === 'string' ? value : JSON.stringify(value)).trim()));
    case 'intstr':
      if (typeof value === 'string') return value;
      if (typeof value !== 'number') throw context.refusal(value, 'int32');
      if (!Number.isInteger(value) || Math.abs(value) > 2 ** 31 - 1) throw context.refusal(value, 'int32', true);
      return value;
    case 'duration':
      if (typeof value !== 'string') throw context.refusal(value, 'string');
      return duration(value);
    case 'durationOrNanos':
      if (typeof value === 'string') return duration(value);
      if (Number.isInteger(value)) return value;
      return fail(
        `invalid duration "${JSON.stringify(value)}": ${new DecodeContext().refusal(value, 'time.Duration', typeof value === 'number').message}`,
      );
    case 'schemaOrBool':
      if (typeof value === 'boolean') return value;
      return isObject(value) ? nested(value, type) : attempt(() => fail('boolean or JSON schema expected'));
    case 'schemaOrArray':
    case 'schemaOrStrings':
      if (Array.isArray(value)) {
        return value.map((item: Json) => (isObject(item) ? nested(item, type) : item));
      }
      return isObject(value) ? nested(value, type) : undefined;
    default:
      return value;
  }
}

/** These types unmarshal their inside with a decoder of its own, which doesn't report unknown fields. */
function nested(value: JsonObject, type: SpecialType): Json {
  return type.element?.kind === 'struct' ? decode(value, type.element).object : value;
}

/** A type's own unmarshaller ends the whole decoding at its first error, whatever was noted before. */
function attempt(read: () => Json): Json {
  try {
    return read();
  } catch (error) {
    if (error instanceof QuantityError || error instanceof GoTimeError) throw new FieldTypeError(error.message);
    throw error;
  }
}

const duration = (text: string): string => {
  if (parseDuration(text) === undefined) fail(durationProblem(text));
  return text;
};

function fail(message: string): never {
  throw new FieldTypeError(message);
}

/** What Go writes for the zero value; undefined for nil. */
function zero(type: ScalarType | SpecialType): Json | undefined {
  if (type.kind === 'scalar') {
    if (type.base === 'string') return '';
    if (type.base === 'bytes') return undefined;
    return type.base === 'bool' ? false : 0;
  }
  if (type.name === 'quantity') return '0';
  if (type.name === 'intstr') return 0;
  if (type.name === 'duration' || type.name === 'durationOrNanos') return '0s';
  return type.name === 'schemaOrBool' ? false : undefined;
}

/** encoding/json's notion of empty: a struct never is, whatever it marshals to. */
function isEmpty(value: Json | undefined, type: GoType): boolean {
  switch (type.kind) {
    case 'struct':
      return false;
    case 'special':
      return type.name === 'any' && value === undefined;
    case 'scalar':
      return value === '' || value === 0 || value === false || value === undefined;
    default:
      return value === undefined;
  }
}
