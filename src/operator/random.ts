import { randomInt, randomUUID } from 'node:crypto';
import type { Random } from '../kube/clock.ts';

/** No vowels and no digits that look like letters, so that a generated name spells nothing. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

const suffixFrom = (length: number, below: (limit: number) => number): string =>
  Array.from({ length }, () => ALPHABET[below(ALPHABET.length)]).join('');

/** Unpredictable, from the operating system. */
export class CryptoRandom implements Random {
  next(): number {
    return randomInt(2 ** 48 - 1) / (2 ** 48 - 1);
  }

  uuid(): string {
    return randomUUID();
  }

  suffix(length: number): string {
    return suffixFrom(length, randomInt);
  }
}

/** The same sequence for the same seed, on every machine: sfc32 (Chris Doty-Humphrey, PractRand). Not for secrets. */
export class SeededRandom implements Random {
  #a = 0x9e3779b9;
  #b = 0x243f6a88;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#c = seed | 0;
    for (let i = 0; i < 12; i++) this.#word();
  }

  #word(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  next(): number {
    return this.#word() / 2 ** 32;
  }

  uuid(): string {
    const hex = Array.from({ length: 4 }, () => this.#word().toString(16).padStart(8, '0')).join('');
    const variant = '89ab'[this.#word() & 3];
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  suffix(length: number): string {
    return suffixFrom(length, (limit) => Math.floor(this.next() * limit));
  }
}
