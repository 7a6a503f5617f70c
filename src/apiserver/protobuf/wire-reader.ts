import { ProtobufError } from './protobuf-error.ts';

/** One field of a message: its number and its value on the wire. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
  readonly wireType: number;
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const END_GROUP = 4;
const FIXED32 = 5;

/** Reads the fields of a message in order; `name` is the message's, for errors in the words of gogo's generated code. */
export function* readFields(bytes: Uint8Array, name: string): Generator<WireField> {
  const reader = new Reader(bytes);
  while (!reader.done) {
    const tag = reader.varint();
    const number = Number(BigInt.asIntN(32, tag >> 3n));
    const wireType = Number(tag & 7n);
    if (wireType === END_GROUP) throw new ProtobufError(`proto: ${name}: wiretype end group for non-group`);
    if (number <= 0) throw new ProtobufError(`proto: ${name}: illegal tag ${number} (wire type ${tag})`);
    yield { number, wireType, value: reader.value(wireType) };
  }
}

/** Reads a list of numbers that share one field. */
export function readPacked(bytes: Uint8Array, wireType: number): readonly bigint[] {
  const reader = new Reader(bytes);
  const values: bigint[] = [];
  while (!reader.done) {
    const value = reader.value(wireType);
    if (typeof value === 'bigint') values.push(value);
  }
  return values;
}

class Reader {
  readonly #bytes: Uint8Array;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.#position >= this.#bytes.length;
  }

  varint(): bigint {
    let result = 0n;
    for (let shift = 0n; shift < 64n; shift += 7n) {
      const byte = this.#bytes[this.#position];
      if (byte === undefined) throw new ProtobufError('unexpected EOF');
      this.#position++;
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, result);
    }
    throw new ProtobufError('proto: integer overflow');
  }

  value(wireType: number): bigint | Uint8Array {
    switch (wireType) {
      case VARINT:
        return this.varint();
      case FIXED64:
        return this.#little(8);
      case FIXED32:
        return this.#little(4);
      case BYTES:
        return this.#take(Number(this.varint()));
      default:
        throw new ProtobufError(`proto: illegal wireType ${wireType}`);
    }
  }

  #little(size: number): bigint {
    return this.#take(size).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  }

  #take(size: number): Uint8Array {
    const end = this.#position + size;
    if (end > this.#bytes.length) throw new ProtobufError('unexpected EOF');
    const taken = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return taken;
  }
}
