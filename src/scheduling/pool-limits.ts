import { type Bits, intersectInto } from './bit-set.ts';
import { nodeCapacity } from './existing-node.ts';
import type { NodePoolTemplate } from './node-pool-template.ts';
import { largestResources, toResources } from './resource-list.ts';
import { nodePoolName } from './state-node.ts';
import type { PoolAndTypes, StateNode } from './types.ts';

/** What each pool may still add, in one run (karpenter-core.md 4.8). */
export class PoolLimits {
  readonly #remaining = new Map<string, Record<string, number>>();

  /** @param nodes those that take part; deleting ones don't */
  constructor(pools: readonly PoolAndTypes[], nodes: Iterable<StateNode>) {
    for (const { nodePool } of pools) {
      const limits = toResources(nodePool.spec.limits);
      if (Object.keys(limits).length > 0) this.#remaining.set(nodePool.metadata.name, { ...limits });
    }
    if (this.#remaining.size > 0) for (const node of nodes) this.#take(node);
  }

  remaining(pool: string): Readonly<Record<string, number>> | undefined {
    return this.#remaining.get(pool);
  }

  /** Whether the pool may have no further node, whatever its size. */
  nodesExhausted(pool: string): boolean {
    return this.#remaining.get(pool)?.nodes === 0;
  }

  /** Variants of types that don't exceed any limit; undefined when no node may be added at all. A copy. */
  within(template: NodePoolTemplate): Bits | undefined {
    const remaining = this.#remaining.get(template.name);
    const all = template.catalogue.all.slice();
    if (!remaining) return all;
    if (this.nodesExhausted(template.name)) return undefined;
    const names = Object.keys(remaining);
    const allowed = template.catalogue.where((type) =>
      names.every((name) => (type.capacity[name] ?? 0) <= (remaining[name] ?? 0)),
    );
    intersectInto(all, allowed);
    return all;
  }

  /** Counts a new claim as the largest it may become. */
  charge(template: NodePoolTemplate, variants: Bits): void {
    const remaining = this.#remaining.get(template.name);
    if (!remaining) return;
    const largest = largestResources(template.catalogue.types(variants).map((type) => type.capacity));
    for (const name in remaining) remaining[name] = (remaining[name] ?? 0) - (largest[name] ?? 0);
  }

  #take(node: StateNode): void {
    const remaining = this.#remaining.get(nodePoolName(node) ?? '');
    if (!remaining) return;
    const capacity = nodeCapacity(node);
    for (const name in remaining) remaining[name] = (remaining[name] ?? 0) - (capacity[name] ?? 0);
  }
}
