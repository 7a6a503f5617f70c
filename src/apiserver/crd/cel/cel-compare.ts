/** Comparison of CEL values as they stand in JavaScript: int is bigint, double is number. */

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

export const celEqual = (left: unknown, right: unknown): boolean => {
  if (left === right) return true;
  const numeric = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';
  // biome-ignore lint/suspicious/noDoubleEquals: a bigint equals a number of the same value only loosely, which is meant.
  if (numeric(left) && numeric(right)) return left == right;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => celEqual(item, right[at]));
  }
  if (isMap(left) && isMap(right)) {
    const names = Object.keys(left);
    return (
      names.length === Object.keys(right).length &&
      names.every((name) => Object.hasOwn(right, name) && celEqual(left[name], right[name]))
    );
  }
  return left instanceof Date && right instanceof Date && left.getTime() === right.getTime();
};

/** Whether `left` comes before `right`; both are of one comparable type. */
export const celLess = (left: unknown, right: unknown): boolean => {
  if (typeof left === 'boolean' && typeof right === 'boolean') return !left && right;
  return (left as number) < (right as number);
};
