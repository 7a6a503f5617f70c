/** Domains in which new nodes could be, and which of equally good ones to take. */
import type { Type } from './instance-types.ts';
import type { Pool, Template } from './pool.ts';
import { allows } from './requirement.ts';
import { intersect, meets, NO_WISHES, plus, type Wishes } from './requirements.ts';
import { toleratesAll } from './taints.ts';
import type { Rule } from './topology-rule.ts';

/** Some pool that fits what the rule counts has a type on sale there (differences.md, B02). */
export function reachableDomains(
  rule: Rule,
  templates: readonly Template[],
  mayLack: ReadonlySet<string>,
): ReadonlySet<string> {
  const { key, nodes, tolerations } = rule;
  const found = new Set<string>();
  const alternatives = nodes?.honorAffinity ? nodes.alternatives : [NO_WISHES];
  for (const template of templates) {
    const heedsTaints = !nodes || nodes.honorTaints;
    if (heedsTaints && !toleratesAll(template.taints, tolerations)) continue;
    for (const alternative of alternatives) {
      if (!meets(template.wishes, alternative, mayLack)) continue;
      const node = plus(template.wishes, alternative);
      for (const type of template.groups.flatMap(({ types }) => types)) {
        for (const domain of domainsOf(type, node, key, mayLack)) found.add(domain);
      }
    }
  }
  return found;
}

function domainsOf(type: Type, node: Wishes, key: string, mayLack: ReadonlySet<string>): readonly string[] {
  if (!intersect(type.wishes, node)) return [];
  const wanted = node.get(key);
  return type.sold
    .filter((sold) => meets(node, sold.wishes, mayLack))
    .map((sold) => sold.wishes.get(key) ?? type.wishes.get(key) ?? wanted)
    .flatMap((domains) => (domains && !domains.others ? [...domains.values] : []))
    .filter((domain) => !wanted || allows(wanted, domain));
}

/** Where the cheapest offering is sold first, reservations aside; then by name. */
export function byPrice(key: string, pools: readonly Pool[]): (a: string, b: string) => number {
  const prices = new Map<string, number>();
  for (const type of pools.flatMap(({ types }) => types)) {
    for (const { wishes, capacityType, offering } of type.sold) {
      if (capacityType === 'reserved') continue;
      for (const domain of (wishes.get(key) ?? type.wishes.get(key))?.values ?? []) {
        prices.set(domain, Math.min(prices.get(domain) ?? Number.POSITIVE_INFINITY, offering.price));
      }
    }
  }
  const priceOf = (domain: string): number => prices.get(domain) ?? Number.MAX_VALUE;
  return (a, b) => priceOf(a) - priceOf(b) || (a < b ? -1 : 1);
}
