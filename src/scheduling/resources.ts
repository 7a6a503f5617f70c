/**
 * Amounts of resources inside the packer: resource name → thousandths of the unit (cpu in millicores, memory in
 * milli-bytes, counts in thousandths), as doubles. Every real amount up to nine petabytes of memory is exact. Built from quantities
 * with `parseQuantityMilli` of src/kube/quantity.ts; a missing key is zero.
 */
export type Resources = Readonly<Record<string, number>>;

const NOTHING: Resources = {};

export function addResources(a: Resources, b: Resources = NOTHING): Resources {
  const sum: Record<string, number> = { ...a };
  for (const name in b) sum[name] = (sum[name] ?? 0) + (b[name] ?? 0);
  return sum;
}

/** The keys of `a`, each less what `b` has of it. */
export function subtractResources(a: Resources, b: Resources): Resources {
  const rest: Record<string, number> = {};
  for (const name in a) rest[name] = (a[name] ?? 0) - (b[name] ?? 0);
  return rest;
}

/** The keys that all lists have, each with its smallest amount. */
export function smallestResources(lists: readonly Resources[]): Resources {
  const [first = NOTHING, ...others] = lists;
  const least: Record<string, number> = {};
  for (const name in first) {
    if (others.every((list) => name in list)) least[name] = Math.min(...lists.map((list) => list[name] ?? 0));
  }
  return least;
}

export function largestResources(lists: readonly Resources[]): Resources {
  const most: Record<string, number> = {};
  for (const list of lists) {
    for (const name in list) most[name] = Math.max(most[name] ?? Number.NEGATIVE_INFINITY, list[name] ?? 0);
  }
  return most;
}

/** Nothing fits where anything is already negative; what is not listed counts as zero (karpenter-core.md 4.2.2). */
export function fits(wanted: Resources, available: Resources): boolean {
  for (const name in available) if ((available[name] ?? 0) < 0) return false;
  for (const name in wanted) if ((wanted[name] ?? 0) > (available[name] ?? 0)) return false;
  return true;
}
