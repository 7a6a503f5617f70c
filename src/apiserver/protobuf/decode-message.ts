import { isObject } from '../json.ts';
import type { Json } from '../kind.ts';
import {
  behindPointers,
  type Field,
  type GoType,
  type ScalarType,
  type SpecialType,
  type StructType,
} from '../types/index.ts';
import { type Layout, layoutOf } from './message-layout.ts';
import { ProtobufError } from './protobuf-error.ts';
import { readFields, readPacked, type WireField } from './wire-reader.ts';

type MutableJson = Record<string, Json>;

/** Decodes messages of built-in structs into JSON as a client would have sent it. Keeps what it learnt of each struct. */
export class MessageDecoder {
  readonly #layouts = new Map<StructType, Layout>();

  /** @throws {ProtobufError} */
  decode(bytes: Uint8Array, struct: StructType): MutableJson {
    return this.#struct(bytes, struct, {});
  }

  #layoutOf(struct: StructType): Layout {
    const known = this.#layouts.get(struct);
    if (known !== undefined) return known;
    const made = layoutOf(struct);
    this.#layouts.set(struct, made);
    return made;
  }

  #struct(bytes: Uint8Array, struct: StructType, into: MutableJson): MutableJson {
    return this.#fields(bytes, this.#layoutOf(struct), struct.name, into);
  }

  #fields(bytes: Uint8Array, layout: Layout, name: string, into: MutableJson): MutableJson {
    for (const wire of readFields(bytes, name)) {
      const field = layout.get(wire.number);
      if (field === undefined) continue;
      if (field instanceof Map) this.#fields(bytesOf(wire, name), field as Layout, name, into);
      else this.#field(wire, field as Field, into);
    }
    return into;
  }

  #field(wire: WireField, field: Field, into: MutableJson): void {
    const type = behindPointers(field.type);
    const old = into[field.name];
    switch (type.kind) {
      case 'list': {
        const items = Array.isArray(old) ? (old as Json[]) : [];
        items.push(...this.#items(wire, type.element, field.name));
        into[field.name] = items;
        break;
      }
      case 'map': {
        const entries = isObject(old) ? (old as MutableJson) : {};
        this.#entry(bytesOf(wire, field.name), type.value, entries);
        into[field.name] = entries;
        break;
      }
      case 'struct':
        into[field.name] = this.#struct(bytesOf(wire, field.name), type, isObject(old) ? (old as MutableJson) : {});
        break;
      default:
        into[field.name] = this.#value(wire, type, field.name);
    }
  }

  #items(wire: WireField, element: GoType, name: string): readonly Json[] {
    const type = behindPointers(element);
    const packed = type.kind === 'scalar' && type.base !== 'string' && type.base !== 'bytes';
    if (!packed || !(wire.value instanceof Uint8Array)) return [this.#value(wire, type, name)];
    const wireType = type.base === 'float64' ? 1 : 0;
    return readPacked(wire.value, wireType).map((value) => scalar({ number: 1, wireType, value }, type, name));
  }

  #entry(bytes: Uint8Array, type: GoType, entries: MutableJson): void {
    let key = '';
    let value: Json | undefined;
    for (const wire of readFields(bytes, 'MapEntry')) {
      if (wire.number === 1) key = textOf(wire, 'mapkey');
      else if (wire.number === 2) value = this.#value(wire, behindPointers(type), 'mapvalue');
    }
    // An absent value is the type's zero value, which decoding makes of null.
    Object.defineProperty(entries, key, { value: value ?? null, enumerable: true, configurable: true, writable: true });
  }

  #value(wire: WireField, type: ReturnType<typeof behindPointers>, name: string): Json {
    switch (type.kind) {
      case 'scalar':
        return scalar(wire, type, name);
      case 'special':
        return this.#special(bytesOf(wire, name), type);
      case 'struct':
        return this.#struct(bytesOf(wire, name), type, {});
      case 'list':
        // A list inside a map is a message with the items as field 1.
        return [...readFields(bytesOf(wire, name), name)].flatMap((item) => this.#items(item, type.element, name));
      case 'map':
        throw new ProtobufError(`proto: ${name}: a map of maps has no protobuf form`);
    }
  }

  #special(bytes: Uint8Array, type: SpecialType): Json {
    const fields = [...readFields(bytes, type.name)];
    const find = (number: number): WireField | undefined => fields.findLast((field) => field.number === number);
    const integer = (number: number): number => signed(find(number)?.value);
    const text = (number: number): string => textOf(find(number), type.name);
    switch (type.name) {
      case 'time':
      case 'microtime':
        return fields.length === 0 ? null : timestamp(integer(1), integer(2), type.name === 'microtime');
      case 'quantity':
        return text(1);
      case 'intstr':
        return integer(1) === 0 ? integer(2) : text(3);
      case 'schemaOrBool':
        return find(2) === undefined ? integer(1) !== 0 : this.#schema(find(2), type);
      case 'schemaOrArray':
      case 'schemaOrStrings':
        if (find(1) !== undefined) return this.#schema(find(1), type);
        return fields
          .filter(({ number }) => number === 2)
          .map((item) => (type.name === 'schemaOrArray' ? this.#schema(item, type) : textOf(item, type.name)));
      default:
        return embedded(text(1));
    }
  }

  #schema(wire: WireField | undefined, type: SpecialType): Json {
    const struct = type.element;
    if (wire === undefined || struct?.kind !== 'struct') return null;
    return this.#struct(bytesOf(wire, type.name), struct, {});
  }
}

const DECODER = new TextDecoder();

function bytesOf(wire: WireField | undefined, name: string): Uint8Array {
  if (wire === undefined) return new Uint8Array();
  if (wire.value instanceof Uint8Array) return wire.value;
  throw wrongWireType(wire, name);
}

const textOf = (wire: WireField | undefined, name: string): string => DECODER.decode(bytesOf(wire, name));

const wrongWireType = ({ wireType }: WireField, name: string): ProtobufError =>
  new ProtobufError(`proto: wrong wireType = ${wireType} for field ${name.charAt(0).toUpperCase()}${name.slice(1)}`);

const signed = (value: bigint | Uint8Array | undefined): number =>
  typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0;

function scalar(wire: WireField, type: ScalarType, name: string): Json {
  if (type.base === 'string') return textOf(wire, name);
  if (type.base === 'bytes') return Buffer.from(bytesOf(wire, name)).toString('base64');
  if (typeof wire.value !== 'bigint') throw wrongWireType(wire, name);
  if (type.base === 'bool') return wire.value !== 0n;
  if (type.base === 'int32') return Number(BigInt.asIntN(32, wire.value));
  if (type.base !== 'float64') return signed(wire.value);
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, wire.value);
  return view.getFloat64(0);
}

function timestamp(seconds: number, nanos: number, micro: boolean): string {
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return micro ? `${text}.${String(Math.trunc(nanos / 1000)).padStart(6, '0')}Z` : `${text}Z`;
}

/** JSON that travels inside protobuf: a RawExtension, FieldsV1 or a CRD's default. */
function embedded(text: string): Json {
  if (text === '') return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new ProtobufError('proto: embedded JSON is malformed');
  }
}
