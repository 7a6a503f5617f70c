import type { Json, JsonObject } from '../kind.ts';
import {
  type BuiltinTypes,
  behindPointers,
  type Field,
  type GoType,
  type ScalarType,
  type StructType,
} from '../types/index.ts';
import { type Dialect, refWith } from './dialect.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

interface Special {
  readonly name: string;
  readonly v2: JsonObject;
  readonly v3?: JsonObject;
}

/** The types that marshal themselves have definitions of their own. */
const SPECIALS: Readonly<Record<string, Special>> = {
  time: { name: `${META}.Time`, v2: { type: 'string', format: 'date-time' } },
  microtime: { name: `${META}.MicroTime`, v2: { type: 'string', format: 'date-time' } },
  duration: { name: `${META}.Duration`, v2: { type: 'string' } },
  fieldsv1: { name: `${META}.FieldsV1`, v2: { type: 'object' } },
  raw: { name: 'io.k8s.apimachinery.pkg.runtime.RawExtension', v2: { type: 'object' } },
  quantity: {
    name: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
    v2: { type: 'string' },
    v3: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  },
  intstr: {
    name: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
    v2: { type: 'string', format: 'int-or-string' },
    v3: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
  json: { name: `${EXTENSIONS}.JSON`, v2: {} },
  schemaOrBool: { name: `${EXTENSIONS}.JSONSchemaPropsOrBool`, v2: {} },
  schemaOrArray: { name: `${EXTENSIONS}.JSONSchemaPropsOrArray`, v2: {} },
  schemaOrStrings: { name: `${EXTENSIONS}.JSONSchemaPropsOrStringArray`, v2: {} },
};

const SCALARS: Readonly<Record<ScalarType['base'], JsonObject>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  bytes: { type: 'string', format: 'byte' },
  float64: { type: 'number', format: 'double' },
  int: { type: 'integer', format: 'int32' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  uint8: { type: 'integer', format: 'byte' },
  uint32: { type: 'integer', format: 'int64' },
  uint64: { type: 'integer', format: 'int64' },
};

/** `io.k8s.api.core.v1.Pod` */
const openApiName = (struct: StructType): string => `io.k8s.${struct.id}`;

/** Collects the definitions of built-in types, and of all that they refer to. */
export class Definitions {
  readonly #dialect: Dialect;
  readonly #types: BuiltinTypes;
  readonly #made = new Map<string, JsonObject>();

  constructor(dialect: Dialect, types: BuiltinTypes) {
    this.#dialect = dialect;
    this.#types = types;
  }

  /** All definitions so far, by name. */
  all(): JsonObject {
    return Object.fromEntries([...this.#made].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  set(name: string, definition: JsonObject): void {
    this.#made.set(name, definition);
  }

  get(name: string): JsonObject | undefined {
    return this.#made.get(name);
  }

  /** Adds a built-in kind; its name, undefined where the table doesn't have it. */
  addKind(groupVersion: string, kind: string): string | undefined {
    const struct = this.#types.kind(groupVersion, kind);
    return struct === undefined ? undefined : this.#add(struct);
  }

  /** Says of which kinds a definition is. */
  mark(name: string, kinds: readonly JsonObject[]): void {
    const definition = this.#made.get(name);
    if (definition !== undefined) this.#made.set(name, { ...definition, 'x-kubernetes-group-version-kind': kinds });
  }

  #add(struct: StructType): string {
    const name = openApiName(struct);
    if (this.#made.has(name)) return name;
    this.#made.set(name, {}); // types refer to themselves
    const fields = [...struct.fields].sort((a, b) => (a.name < b.name ? -1 : 1));
    const required = fields.filter((field) => field.required).map((field) => field.name);
    this.#made.set(name, {
      type: 'object',
      ...(required.length === 0 ? {} : { required }),
      properties: Object.fromEntries(fields.map((field) => [field.name, this.#property(field)])),
      ...(struct.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
    });
    return name;
  }

  #property(field: Field): JsonObject {
    const type = behindPointers(field.type);
    const fallback = field.default === undefined || this.#dialect === 'v2' ? {} : { default: field.default };
    const extensions = extensionsOf(field);
    const values = field.enum === undefined ? {} : { enum: field.enum };
    if (type.kind === 'list') return { ...fallback, ...this.#schema(type, values), ...extensions };
    return this.#schema(type, { ...fallback, ...values, ...extensions });
  }

  /** A type's schema with something beside it; for a list, beside its items. */
  #schema(type: ReturnType<typeof behindPointers>, beside: JsonObject): JsonObject {
    switch (type.kind) {
      case 'scalar':
        return { ...SCALARS[type.base], ...beside };
      case 'list':
        return { type: 'array', items: this.#inside(type.element, beside) };
      case 'map':
        return { type: 'object', additionalProperties: this.#inside(type.value, {}), ...beside };
      case 'struct':
        return refWith(this.#add(type), this.#dialect, beside);
      case 'special':
        return this.#special(type.name, beside);
    }
  }

  /** Items that aren't pointers have their zero value for a default. */
  #inside(type: GoType, beside: JsonObject): JsonObject {
    const inner = behindPointers(type);
    const fallback = this.#dialect === 'v2' || type.kind === 'pointer' ? undefined : zeroOf(inner);
    return this.#schema(inner, { ...(fallback === undefined ? {} : { default: fallback }), ...beside });
  }

  #special(word: string, beside: JsonObject): JsonObject {
    const special = SPECIALS[word];
    if (special === undefined) return { type: 'object', ...beside };
    if (!this.#made.has(special.name)) {
      this.#made.set(special.name, this.#dialect === 'v3' ? (special.v3 ?? special.v2) : special.v2);
    }
    return refWith(special.name, this.#dialect, beside);
  }
}

function extensionsOf(field: Field): JsonObject {
  const extensions: [string, Json | undefined][] = [
    ['x-kubernetes-list-map-keys', field.mapKeys],
    ['x-kubernetes-list-type', field.listType],
    ['x-kubernetes-map-type', field.mapType],
    ['x-kubernetes-patch-merge-key', field.patchMergeKey],
    ['x-kubernetes-patch-strategy', field.patchStrategy],
  ];
  return Object.fromEntries(extensions.filter(([, value]) => value !== undefined));
}

function zeroOf(type: ReturnType<typeof behindPointers>): Json | undefined {
  switch (type.kind) {
    case 'struct':
      return {};
    case 'scalar':
      if (type.base === 'bytes') return undefined;
      if (type.base === 'string') return '';
      return type.base === 'bool' ? false : 0;
    default:
      return undefined;
  }
}
