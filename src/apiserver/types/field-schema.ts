import type { FieldSchema, FieldSchemaRef, Json } from '../kind.ts';
import {
  behindPointers,
  type Field,
  type GoType,
  type ScalarType,
  type SpecialName,
  type StructType,
} from './go-type.ts';

type ScalarSchema = Extract<FieldSchema, { kind: 'scalar' }>;

const UNTYPED: FieldSchema = { kind: 'untyped' };

const SPECIALS: Readonly<Partial<Record<SpecialName, ScalarSchema['type']>>> = {
  time: 'time',
  microtime: 'time',
  duration: 'string',
  quantity: 'quantity',
  intstr: 'int-or-string',
};

const memoised = (make: () => FieldSchema): FieldSchemaRef => {
  let made: FieldSchema | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/** FieldSchemas of built-in structs, each built once. */
export class BuiltinFieldSchemas {
  readonly #structs = new Map<StructType, FieldSchemaRef>();

  /** The schema of a struct, as merge and apply need it. */
  of(struct: StructType): FieldSchemaRef {
    const known = this.#structs.get(struct);
    if (known !== undefined) return known;
    const made = memoised(() => this.#struct(struct));
    this.#structs.set(struct, made);
    return made;
  }

  #struct(struct: StructType): FieldSchema {
    const fields: Record<string, FieldSchemaRef> = {};
    for (const field of struct.fields) fields[field.name] = memoised(() => this.#field(field));
    return { kind: 'struct', fields, atomic: struct.atomic };
  }

  #field(field: Field): FieldSchema {
    const schema = this.#type(field.type, field)();
    if (schema.kind === 'struct' && (field.patchStrategy !== undefined || field.mapType !== undefined)) {
      const patchStrategy = field.patchStrategy === undefined ? {} : { patchStrategy: field.patchStrategy };
      return { ...schema, atomic: schema.atomic || field.mapType === 'atomic', ...patchStrategy };
    }
    return schema;
  }

  #type(type: GoType, field?: Field): FieldSchemaRef {
    const inner = behindPointers(type);
    if (inner.kind === 'struct') return this.of(inner);
    return memoised(() => {
      switch (inner.kind) {
        case 'scalar':
          return withDefault({ kind: 'scalar', type: scalarType(inner) }, field?.default);
        case 'special': {
          const scalar = SPECIALS[inner.name];
          return scalar === undefined ? UNTYPED : withDefault({ kind: 'scalar', type: scalar }, field?.default);
        }
        case 'map':
          return { kind: 'map', values: this.#type(inner.value), atomic: field?.mapType === 'atomic' };
        case 'list':
          return {
            kind: 'list',
            items: this.#type(inner.element),
            listType: field?.listType ?? 'atomic',
            ...(field?.mapKeys === undefined ? {} : { mapKeys: field.mapKeys }),
            ...(field?.patchStrategy === undefined ? {} : { patchStrategy: field.patchStrategy }),
            ...(field?.patchMergeKey === undefined ? {} : { patchMergeKey: field.patchMergeKey }),
          };
      }
    });
  }
}

const withDefault = (schema: ScalarSchema, fallback: Json | undefined): ScalarSchema =>
  fallback === undefined ? schema : { ...schema, default: fallback };

function scalarType(type: ScalarType): ScalarSchema['type'] {
  switch (type.base) {
    case 'string':
      return 'string';
    case 'bytes':
      return 'bytes';
    case 'bool':
      return 'boolean';
    case 'float64':
      return 'number';
    default:
      return 'integer';
  }
}
