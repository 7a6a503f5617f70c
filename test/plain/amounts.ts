/** Arithmetic on resources (karpenter-core.md 4.2); amounts are thousandths. */
import type { ResourceList } from '../../src/kube/objects.ts';
import { parseQuantityMilli } from '../../src/kube/quantity.ts';

export type Amounts = Readonly<Record<string, number>>;

export function amounts(list: ResourceList = {}): Amounts {
  return Object.fromEntries(Object.entries(list).map(([name, text]) => [name, parseQuantityMilli(text)]));
}

/** Per resource of any of the lists. */
export function sum(...lists: readonly Amounts[]): Amounts {
  const names = new Set(lists.flatMap((list) => Object.keys(list)));
  return Object.fromEntries(
    [...names].map((name) => [name, lists.reduce((total, list) => total + (list[name] ?? 0), 0)]),
  );
}

/** Per resource of the first. */
export function difference(from: Amounts, taken: Amounts): Amounts {
  return Object.fromEntries(Object.entries(from).map(([name, amount]) => [name, amount - (taken[name] ?? 0)]));
}

/** What is already overdrawn takes nothing more, whatever is asked. */
export function fits(wanted: Amounts, available: Amounts): boolean {
  return (
    Object.values(available).every((amount) => amount >= 0) &&
    Object.entries(wanted).every(([name, amount]) => amount <= (available[name] ?? 0))
  );
}
