/** The seam between the API's verbs (http, registry, store) and what they know of each kind's fields. */

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** field.Error of apimachinery: becomes one cause of a 422 Invalid Status, in kube-apiserver's words. */
export interface FieldError {
  readonly type:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueForbidden'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueNotFound'
    | 'FieldValueTypeInvalid'
    | 'InternalError';
  /** For example `spec.containers[0].name`. */
  readonly field: string;
  /** The cause's message, without the field: `Required value: must not be empty`. */
  readonly message: string;
}

/**
 * Fields of one type, recursively, as merge and apply need them. Built from the generated table for built-in kinds and
 * from the structural schema for CRDs.
 */
export type FieldSchema =
  | {
      readonly kind: 'scalar';
      readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'quantity' | 'int-or-string' | 'time' | 'bytes';
      /** Stands in for an absent key of a list of type `map`, such as a port's protocol; nothing else reads it. */
      readonly default?: Json;
    }
  /** Anything goes: preserve-unknown-fields, RawExtension. Compared and owned deeply, as upstream's deduced schema. */
  | { readonly kind: 'untyped' }
  | { readonly kind: 'map'; readonly values: FieldSchemaRef; readonly atomic: boolean }
  | {
      readonly kind: 'struct';
      readonly fields: Readonly<Record<string, FieldSchemaRef>>;
      readonly atomic: boolean;
      readonly preserveUnknown?: boolean;
      /** For strategic merge patch: `replace` where the patch's object takes the whole place of the old one. */
      readonly patchStrategy?: string;
    }
  | {
      readonly kind: 'list';
      readonly items: FieldSchemaRef;
      /** For server-side apply. */
      readonly listType: 'atomic' | 'set' | 'map';
      readonly mapKeys?: readonly string[];
      /** For strategic merge patch: absent means replace. */
      readonly patchStrategy?: string;
      readonly patchMergeKey?: string;
    };

/** Lazy, since types refer to each other. */
export type FieldSchemaRef = () => FieldSchema;

/** What the verbs ask of a kind. One implementation for built-in kinds, one for custom resources. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: FieldSchemaRef;
  /**
   * Drops fields that the kind does not have (and nulls, where decoding to Go would), and says which in strict-decoding
   * words: `unknown field "spec.foo"`. Throws FieldTypeError where a value can't be decoded at all.
   */
  decode(object: JsonObject): { readonly object: JsonObject; readonly unknown: readonly string[] };
  /**
   * Loads and compiles what validation needs (CEL), once; verbs await it before they validate. Absent where there is
   * nothing to load, which spares built-in kinds a turn of the event loop. `object`, if known, is the one that comes, so
   * that nothing is loaded that it doesn't need.
   */
  prepare?(object?: JsonObject): Promise<void>;
  /** Fills defaults in; pure, returns the completed object. */
  applyDefaults(object: JsonObject): JsonObject;
  validateCreate(object: JsonObject): readonly FieldError[];
  /** `subresource` is empty, `status` or another one that is being written. */
  validateUpdate(object: JsonObject, old: JsonObject, subresource: string): readonly FieldError[];
  /** About whole numbers that a body writes with a fraction (`2.0`), by their path, where the kind wants integers. */
  validateFloats?(floats: ReadonlyMap<string, number>, subresource: string): readonly FieldError[];
  /** Warnings for the client, such as deprecated fields. */
  warnings?(object: JsonObject, old?: JsonObject): readonly string[];
}

/** A body that can't be decoded into the kind at all: 400 BadRequest. `message` is Go's decoder's text. */
export class FieldTypeError extends Error {
  override readonly name = 'FieldTypeError';
}
