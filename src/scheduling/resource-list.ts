/** Between the quantities of objects (`ResourceList`) and the numbers the packer counts with (`Resources`). */
import type { ResourceList } from '../kube/objects.ts';
import { formatMilli, parseQuantityMilli } from '../kube/quantity.ts';
import type { Resources } from './resources.ts';

/**
 * No machine has resources with the names of what every object inherits (`constructor`), which look-ups would find.
 *
 * @throws {QuantityError} for an amount that is none.
 */
export function toResources(list: ResourceList | undefined): Resources {
  const result: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(list ?? {})) {
    if (!(name in Object.prototype)) result[name] = parseQuantityMilli(quantity);
  }
  return result;
}

export function toResourceList(resources: Resources): ResourceList {
  const result: Record<string, string> = {};
  for (const [name, amount] of Object.entries(resources)) result[name] = formatMilli(name, amount);
  return result;
}

export function addResources(a: Resources, b: Resources): Resources {
  const result: Record<string, number> = { ...a };
  for (const [name, amount] of Object.entries(b)) result[name] = (result[name] ?? 0) + amount;
  return result;
}

/** `a - b` for the resources that `a` has; others of `b` are ignored. */
export function subtractResources(a: Resources, b: Resources): Resources {
  const result: Record<string, number> = {};
  for (const [name, amount] of Object.entries(a)) result[name] = amount - (b[name] ?? 0);
  return result;
}

/** Whether `request` fits: no more than there is of each resource, and nothing that is there is negative. */
export function fits(request: Resources, available: Resources): boolean {
  for (const amount of Object.values(available)) if (amount < 0) return false;
  for (const [name, amount] of Object.entries(request)) if (amount > (available[name] ?? 0)) return false;
  return true;
}

/** The keys that both have, each with its smaller amount. */
export function smallerResources(a: Resources, b: Resources): Resources {
  const result: Record<string, number> = {};
  for (const name in a) if (name in b) result[name] = Math.min(a[name] ?? 0, b[name] ?? 0);
  return result;
}

export function largestResources(lists: readonly Resources[]): Resources {
  const result: Record<string, number> = {};
  for (const list of lists) {
    for (const name in list) result[name] = Math.max(result[name] ?? Number.NEGATIVE_INFINITY, list[name] ?? 0);
  }
  return result;
}
