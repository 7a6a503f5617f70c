/** Sets of small integers, 32 to a word. All sets of one catalogue have the same number of words. */
export type Bits = Uint32Array;

export function emptyBits(size: number): Bits {
  return new Uint32Array((size + 31) >>> 5);
}

export function addBit(bits: Bits, index: number): void {
  const word = index >>> 5;
  bits[word] = ((bits[word] ?? 0) | (1 << (index & 31))) >>> 0;
}

export function hasBit(bits: Bits, index: number): boolean {
  return ((bits[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;
}

/** Keeps in `target` what is also in `other`; says whether anything is left. */
export function intersectInto(target: Bits, other: Bits): boolean {
  let any = 0;
  for (let w = 0; w < target.length; w++) {
    const word = ((target[w] ?? 0) & (other[w] ?? 0)) >>> 0;
    target[w] = word;
    any |= word;
  }
  return any !== 0;
}

export function isEmpty(bits: Bits): boolean {
  for (let w = 0; w < bits.length; w++) if (bits[w] !== 0) return false;
  return true;
}
