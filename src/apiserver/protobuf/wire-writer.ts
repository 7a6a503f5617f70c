const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/** Builds a message field by field. */
export class WireWriter {
  readonly #chunks: Uint8Array[] = [];

  /** Non-negative whole numbers below 2^53. */
  varint(number: number, value: number): this {
    this.#push(number * 8 + VARINT, value);
    return this;
  }

  double(number: number, value: number): this {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.#push(number * 8 + FIXED64);
    this.#chunks.push(bytes);
    return this;
  }

  text(number: number, value: string): this {
    return this.bytes(number, Buffer.from(value));
  }

  /** Bytes, or a message inside this one. */
  bytes(number: number, value: Uint8Array): this {
    this.#push(number * 8 + BYTES, value.length);
    this.#chunks.push(value);
    return this;
  }

  finish(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  #push(...numbers: readonly number[]): void {
    const bytes: number[] = [];
    for (const number of numbers) appendVarint(bytes, number);
    this.#chunks.push(Uint8Array.from(bytes));
  }
}

function appendVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
}
