import type { JsonObject } from '../kind.ts';
import type { BuiltinTypes } from '../types/index.ts';
import { MessageDecoder } from './decode-message.ts';
import { type MessageType, ProtobufError } from './protobuf-error.ts';
import { readFields } from './wire-reader.ts';

const MAGIC = [0x6b, 0x38, 0x73, 0x00];

/** Decodes request bodies of type application/vnd.kubernetes.protobuf. */
export class ProtobufDecoder {
  readonly #types: BuiltinTypes;
  readonly #messages = new MessageDecoder();

  constructor(deps: { readonly types: BuiltinTypes }) {
    this.#types = deps.types;
  }

  /**
   * The object in an envelope (`k8s\0` and a runtime.Unknown), as JSON with its apiVersion and kind. It is yet to be decoded
   * by its kind, which makes quantities and times canonical. An envelope without a kind is of kind `fallback`.
   *
   * @throws {ProtobufError}
   */
  decode(body: Uint8Array, fallback: MessageType): JsonObject {
    if (MAGIC.some((byte, index) => body[index] !== byte)) {
      const prefix = `[${MAGIC.join(' ')}]`;
      throw new ProtobufError(`provided data does not appear to be a protobuf message, expected prefix ${prefix}`);
    }
    const envelope = readEnvelope(body.subarray(MAGIC.length));
    const type = {
      apiVersion: envelope.apiVersion || fallback.apiVersion,
      kind: envelope.kind || fallback.kind,
    };
    const struct = this.#types.kind(type.apiVersion, type.kind);
    if (struct === undefined) {
      const scheme = 'pkg/api/legacyscheme/scheme.go:30';
      throw new ProtobufError(
        `no kind ${JSON.stringify(type.kind)} is registered for version ${JSON.stringify(type.apiVersion)} in scheme ${JSON.stringify(scheme)}`,
      );
    }
    try {
      return { kind: type.kind, apiVersion: type.apiVersion, ...this.#messages.decode(envelope.raw, struct) };
    } catch (error) {
      if (error instanceof ProtobufError) throw new ProtobufError(error.message, type);
      throw error;
    }
  }
}

interface Envelope extends MessageType {
  readonly raw: Uint8Array;
}

function readEnvelope(bytes: Uint8Array): Envelope {
  const decoder = new TextDecoder();
  let [apiVersion, kind] = ['', ''];
  let raw = new Uint8Array();
  for (const { number, value } of readFields(bytes, 'Unknown')) {
    if (!(value instanceof Uint8Array)) continue;
    if (number === 2) raw = Uint8Array.from(value);
    if (number !== 1) continue;
    for (const field of readFields(value, 'TypeMeta')) {
      const text = field.value instanceof Uint8Array ? decoder.decode(field.value) : '';
      if (field.number === 1) apiVersion = text;
      if (field.number === 2) kind = text;
    }
  }
  return { apiVersion, kind, raw };
}
