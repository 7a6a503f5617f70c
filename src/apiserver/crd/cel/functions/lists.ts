import type { Environment, Optional as OptionalValue } from '@marcbachmann/cel-js';
import { celEqual, celLess } from '../cel-compare.ts';
import { CelValueError } from '../cel-value-error.ts';

/** Kubernetes' list library (apiserver cel/library/lists.go) and the parts of CEL's own list extension in use. */

const isSorted = (list: readonly unknown[]): boolean =>
  list.every((item, at) => at === 0 || !celLess(item, list[at - 1]));

const sum = (list: readonly unknown[]): unknown => {
  if (list.every((item) => typeof item === 'number') && list.length > 0) {
    return list.reduce<number>((total, item) => total + (item as number), 0);
  }
  return list.reduce<bigint>((total, item) => total + BigInt(item as bigint), 0n);
};

const extreme =
  (name: string, better: (left: unknown, right: unknown) => boolean) =>
  (list: readonly unknown[]): unknown => {
    if (list.length === 0) throw new CelValueError(`${name} called on empty list`);
    return list.reduce((best, item) => (better(item, best) ? item : best));
  };

const flatten = (list: readonly unknown[], depth: number): readonly unknown[] =>
  list.flatMap((item) => (Array.isArray(item) && depth > 0 ? flatten(item as readonly unknown[], depth - 1) : [item]));

const distinct = (list: readonly unknown[]): readonly unknown[] =>
  list.filter((item, at) => list.findIndex((other) => celEqual(item, other)) === at);

const ascending = (left: unknown, right: unknown): number => (celLess(left, right) ? -1 : celLess(right, left) ? 1 : 0);

/** What `lists` is in `lists.range(3)`. */
class ListsNamespace {
  readonly functions = 'lists';
}

export const registerLists = (env: Environment, optional: typeof OptionalValue): void => {
  env.registerType('ListsNamespace', { ctor: ListsNamespace, fields: {} });
  env.registerConstant('lists', 'ListsNamespace', new ListsNamespace());
  env.registerFunction('ListsNamespace.range(int): list<int>', (_: ListsNamespace, end: bigint) =>
    Array.from({ length: Math.max(0, Number(end)) }, (__, at) => BigInt(at)),
  );
  env.registerFunction('list.first(): optional<dyn>', (list: readonly unknown[]) => optional.of(list[0]));
  env.registerFunction('list.last(): optional<dyn>', (list: readonly unknown[]) => optional.of(list.at(-1)));
  env.registerFunction('list.isSorted(): bool', isSorted);
  env.registerFunction('list.sum(): dyn', sum);
  env.registerFunction('list.min(): dyn', extreme('min', celLess));
  env.registerFunction(
    'list.max(): dyn',
    extreme('max', (left, right) => celLess(right, left)),
  );
  env.registerFunction('list.indexOf(dyn): int', (list: readonly unknown[], item: unknown) =>
    BigInt(list.findIndex((other) => celEqual(other, item))),
  );
  env.registerFunction('list.lastIndexOf(dyn): int', (list: readonly unknown[], item: unknown) =>
    BigInt(list.findLastIndex((other) => celEqual(other, item))),
  );
  env.registerFunction('list.slice(int, int): list<dyn>', (list: readonly unknown[], from: bigint, to: bigint) =>
    list.slice(Number(from), Number(to)),
  );
  env.registerFunction('list.flatten(): list<dyn>', (list: readonly unknown[]) => flatten(list, 1));
  env.registerFunction('list.flatten(int): list<dyn>', (list: readonly unknown[], depth: bigint) =>
    flatten(list, Number(depth)),
  );
  env.registerFunction('list.distinct(): list<dyn>', distinct);
  env.registerFunction('list.reverse(): list<dyn>', (list: readonly unknown[]) => list.toReversed());
  env.registerFunction('list.sort(): list<dyn>', (list: readonly unknown[]) => list.toSorted(ascending));
};
