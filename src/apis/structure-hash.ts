/**
 * Hashes as upstream's controllers stamp them (mitchellh/hashstructure: FNV-1 of 64 bits, format 2, slices as sets, zero
 * values ignored), so that both can run on one cluster.
 */

const OFFSET = 14695981039346656037n;
const PRIME = 1099511628211n;
const MASK = (1n << 64n) - 1n;

/** FNV-1 (multiply, then xor), 64 bits. */
function fnv(bytes: Iterable<number>): bigint {
  let hash = OFFSET;
  for (const byte of bytes) hash = ((hash * PRIME) & MASK) ^ BigInt(byte);
  return hash;
}

function littleEndian(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value & MASK, true);
  return bytes;
}

const ordered = (a: bigint, b: bigint): bigint => fnv([...littleEndian(a), ...littleEndian(b)]);
const finished = (value: bigint): bigint => fnv(littleEndian(value));

export const hashText = (text: string): bigint => fnv(new TextEncoder().encode(text));

/** An integer of the given width in bytes, which is that of its Go type. */
export const hashInteger = (value: bigint, bytes: 4 | 8): bigint => fnv(littleEndian(value).subarray(0, bytes));

export const hashFlag = (value: boolean): bigint => fnv([value ? 1 : 0]);

export function hashMap(map: Readonly<Record<string, string>>): bigint {
  let hash = 0n;
  for (const [key, value] of Object.entries(map)) hash ^= ordered(hashText(key), hashText(value));
  return finished(hash);
}

/** A set's members are xor-ed, so two equal members cancel out, as they do upstream. */
export const hashSet = (members: readonly bigint[]): bigint => members.reduce((hash, member) => hash ^ member, 0n);

export type HashedField = readonly [name: string, hash: bigint | undefined];

/** A struct by its Go type name; an undefined field is a zero value and doesn't count. */
export function hashStruct(type: string, fields: readonly HashedField[]): bigint {
  let hash = hashText(type);
  for (const [name, value] of fields) {
    // The hash is hardened after every field that is visited, and not when the field is left out.
    if (value !== undefined) hash = finished(hash ^ ordered(hashText(name), value));
  }
  return hash;
}
