const DECIMAL = /^[1-9]\d*$|^0$/;

/**
 * Whether resource version `a` is from before `b`, both of the same resource of one API. Versions are whole numbers of any
 * length that only grow (KEP-5504); with a server that has others nothing is older.
 */
export function isOlderVersion(a: string, b: string): boolean {
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return false;
  return BigInt(a) < BigInt(b);
}
