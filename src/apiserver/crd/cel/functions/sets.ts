import type { Environment } from '@marcbachmann/cel-js';
import { celEqual } from '../cel-compare.ts';

/** What `sets` is in `sets.contains(a, b)` (cel-go's ext.Sets). */
class SetsNamespace {
  readonly functions = 'sets';
}

type List = readonly unknown[];

const holds = (list: List, item: unknown): boolean => list.some((other) => celEqual(other, item));
const contains = (list: List, other: List): boolean => other.every((item) => holds(list, item));

export const registerSets = (env: Environment): void => {
  env.registerType('SetsNamespace', { ctor: SetsNamespace, fields: {} });
  env.registerConstant('sets', 'SetsNamespace', new SetsNamespace());
  env.registerFunction('SetsNamespace.contains(list, list): bool', (_: SetsNamespace, a: List, b: List) =>
    contains(a, b),
  );
  env.registerFunction(
    'SetsNamespace.equivalent(list, list): bool',
    (_: SetsNamespace, a: List, b: List) => contains(a, b) && contains(b, a),
  );
  env.registerFunction('SetsNamespace.intersects(list, list): bool', (_: SetsNamespace, a: List, b: List) =>
    a.some((item) => holds(b, item)),
  );
};
