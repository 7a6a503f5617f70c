const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIRST_SIZE = 4096;

/**
 * Builds a message from its end to its beginning, last field first, so that what lies inside is written in place before its
 * length is known.
 */
export class ReverseWriter {
  #buffer = Buffer.allocUnsafe(FIRST_SIZE);
  #start = FIRST_SIZE;

  /** Where what is written next ends; `close` takes it. */
  get mark(): number {
    return this.#buffer.length - this.#start;
  }

  /** Puts length and number in front of all that was written since `mark`. */
  close(number: number, mark: number): void {
    this.#varint(this.mark - mark);
    this.#varint(number * 8 + BYTES);
  }

  /** Any whole number that a float64 holds; negative ones take ten bytes. */
  integer(number: number, value: number): void {
    if (value >= 0) this.#varint(value);
    else this.#negative(value);
    this.#varint(number * 8 + VARINT);
  }

  double(number: number, value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#buffer.writeDoubleLE(value, this.#start);
    this.#varint(number * 8 + FIXED64);
  }

  text(number: number, value: string): void {
    const size = Buffer.byteLength(value);
    this.#reserve(size);
    this.#start -= size;
    this.#buffer.write(value, this.#start, 'utf8');
    this.#varint(size);
    this.#varint(number * 8 + BYTES);
  }

  bytes(number: number, value: Uint8Array): void {
    this.#reserve(value.length);
    this.#start -= value.length;
    this.#buffer.set(value, this.#start);
    this.#varint(value.length);
    this.#varint(number * 8 + BYTES);
  }

  /** What has been written, for its caller to keep; the writer is empty then. */
  take(): Uint8Array {
    const taken = Uint8Array.prototype.slice.call(this.#buffer, this.#start);
    this.#start = this.#buffer.length;
    return taken;
  }

  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    this.#reserve(size);
    this.#start -= size;
    let at = this.#start;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#buffer[at++] = (rest % 0x80) + 0x80;
    this.#buffer[at] = rest;
  }

  #negative(value: number): void {
    const size = 10;
    this.#reserve(size);
    this.#start -= size;
    let rest = BigInt.asUintN(64, BigInt(value));
    for (let at = 0; at < size; at++) {
      this.#buffer[this.#start + at] = Number(rest & 0x7fn) | (at < size - 1 ? 0x80 : 0);
      rest >>= 7n;
    }
  }

  #reserve(size: number): void {
    if (this.#start >= size) return;
    const used = this.#buffer.length - this.#start;
    let length = this.#buffer.length * 2;
    while (length - used < size) length *= 2;
    const larger = Buffer.allocUnsafe(length);
    this.#buffer.copy(larger, length - used, this.#start);
    this.#buffer = larger;
    this.#start = length - used;
  }
}
