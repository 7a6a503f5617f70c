import { asObject, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { BuiltinTypes, type StructType } from '../types/index.ts';
import { discoveryTable } from './discovery-types.ts';
import { MessageEncoder } from './encode-message.ts';
import { WireWriter } from './wire-writer.ts';

const MAGIC = Uint8Array.from([0x6b, 0x38, 0x73, 0x00]);
const LENGTH_BYTES = 4;

/** Encodes answers of type application/vnd.kubernetes.protobuf. Messages of frozen objects are made once and kept. */
export class ProtobufEncoder {
  readonly #types: BuiltinTypes;
  readonly #discovery = new BuiltinTypes(discoveryTable);
  readonly #messages = new MessageEncoder();
  readonly #kept = new WeakMap<object, Uint8Array>();

  constructor(deps: { readonly types: BuiltinTypes }) {
    this.#types = deps.types;
  }

  /** An object in its envelope; undefined for kinds that have no protobuf form, such as custom resources. */
  encode(object: JsonObject): Uint8Array | undefined {
    const struct = this.#structOf(object);
    return struct && envelope(object, this.#message(object, struct));
  }

  /** A list out of what it is without its items, and its items. */
  encodeList(list: JsonObject, items: readonly JsonObject[]): Uint8Array | undefined {
    const struct = this.#structOf(list);
    const type = struct?.byName.get('items')?.type;
    const element = type?.kind === 'list' ? type.element : undefined;
    if (struct === undefined || element?.kind !== 'struct') return undefined;
    const messages = items.map((item) => this.#message(item, element));
    const written = messages.reduce((writer, message) => writer.bytes(2, message), new WireWriter());
    return envelope(list, Buffer.concat([this.#messages.encode(list, struct), written.finish()]));
  }

  /** One event of a watch, with its length in front. */
  encodeEvent(type: string, object: JsonObject): Uint8Array {
    const raw = new WireWriter().bytes(1, this.encode(object) ?? new Uint8Array()).finish();
    const event = new WireWriter().text(1, type).bytes(2, raw).finish();
    const frame = Buffer.alloc(LENGTH_BYTES + event.length);
    frame.writeUInt32BE(event.length);
    frame.set(event, LENGTH_BYTES);
    return frame;
  }

  #structOf(object: JsonObject): StructType | undefined {
    const [apiVersion, kind] = [asString(object.apiVersion), asString(object.kind)];
    if (kind === 'Table') return undefined;
    return this.#types.kind(apiVersion || 'v1', kind) ?? this.#discovery.kind(apiVersion, kind);
  }

  #message(object: JsonObject, struct: StructType): Uint8Array {
    const known = this.#kept.get(object);
    if (known !== undefined) return known;
    const made = this.#messages.encode(asObject(object), struct);
    if (Object.isFrozen(object)) this.#kept.set(object, made);
    return made;
  }
}

const envelope = ({ apiVersion, kind }: JsonObject, raw: Uint8Array): Uint8Array => {
  const type = new WireWriter().text(1, asString(apiVersion)).text(2, asString(kind)).finish();
  const unknown = new WireWriter().bytes(1, type).bytes(2, raw).text(3, '').text(4, '').finish();
  return Buffer.concat([MAGIC, unknown]);
};
