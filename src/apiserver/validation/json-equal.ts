import type { Json } from '../kind.ts';

/** Deep equality of JSON values. */
export const jsonEqual = (left: Json | undefined, right: Json | undefined): boolean => {
  if (left === right) return true;
  if (left === null || right === null || typeof left !== 'object' || typeof right !== 'object') return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, at) => jsonEqual(item, right[at]));
  }
  const a = Object.entries(left).filter(([, item]) => item !== undefined);
  const other = right as Readonly<Record<string, Json | undefined>>;
  if (a.length !== Object.values(other).filter((item) => item !== undefined).length) return false;
  return a.every(([name, item]) => other[name] !== undefined && jsonEqual(item, other[name]));
};
