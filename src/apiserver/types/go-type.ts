import type { Json, JsonObject } from '../kind.ts';

/** Go types that marshal themselves; each has a JSON form of its own. */
export type SpecialName =
  | 'time'
  | 'microtime'
  | 'duration'
  | 'durationOrNanos'
  | 'quantity'
  | 'intstr'
  | 'raw'
  | 'fieldsv1'
  | 'json'
  | 'schemaOrBool'
  | 'schemaOrArray'
  | 'schemaOrStrings'
  | 'any';

export type ScalarBase =
  | 'string'
  | 'bool'
  | 'int'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint32'
  | 'uint64'
  | 'float64'
  | 'bytes';

export interface ScalarType {
  readonly kind: 'scalar';
  readonly base: ScalarBase;
  /** As Go prints the type, for example `v1.PullPolicy`. */
  readonly go: string;
}

export interface SpecialType {
  readonly kind: 'special';
  readonly name: SpecialName;
  readonly go: string;
  /** What is inside, for those types that are one of two things. */
  readonly element?: GoType;
}

export interface PointerType {
  readonly kind: 'pointer';
  readonly element: GoType;
}

export interface ListType {
  readonly kind: 'list';
  readonly element: GoType;
  readonly go: string;
  /** A named slice (`ExtraValue`) is a message with repeated field 1 in protobuf. */
  readonly named: boolean;
}

export interface MapType {
  readonly kind: 'map';
  readonly value: GoType;
  readonly go: string;
}

/** A field of a Go struct, with inlined structs resolved. */
export interface Field {
  readonly name: string;
  /** The name of the struct that it is a field of. */
  readonly owner: string;
  readonly type: GoType;
  /** Protobuf numbers from the struct's message down to the field; empty where protobuf doesn't know it. */
  readonly numbers: readonly number[];
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  /** Go writes it even where `omitEmpty` is set, since a struct is never empty. */
  readonly alwaysWritten: boolean;
  readonly required: boolean;
  /** Go names of the inlined structs that lead to it. */
  readonly inlined: readonly string[];
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly mapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly enum?: readonly string[];
  readonly default?: Json;
}

export interface StructType {
  readonly kind: 'struct';
  /** OpenAPI's name without `io.k8s.`, for example `api.core.v1.Container`. */
  readonly id: string;
  /** `Container` */
  readonly name: string;
  /** `v1.Container` */
  readonly go: string;
  readonly atomic: boolean;
  /** In Go's order; parsed at the first look. */
  readonly fields: readonly Field[];
  readonly byName: ReadonlyMap<string, Field>;
  /** As Go writes it when nobody filled it. */
  readonly zero: JsonObject;
  /** What conversion to the internal type and back changes. */
  readonly convert?: (object: JsonObject) => JsonObject;
}

export type GoType = ScalarType | SpecialType | PointerType | ListType | MapType | StructType;

/** The type behind any pointers. */
export function behindPointers(type: GoType): Exclude<GoType, PointerType> {
  let result = type;
  while (result.kind === 'pointer') result = result.element;
  return result;
}

/** As Go prints the type, which is what decoding errors show. */
export const goName = (type: GoType): string => (type.kind === 'pointer' ? `*${goName(type.element)}` : type.go);
