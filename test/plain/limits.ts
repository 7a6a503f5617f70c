/** What pools may still add (karpenter-core.md 4.8). */
import type { StateNode } from '../../src/scheduling/index.ts';
import { type Amounts, amounts, difference } from './amounts.ts';
import type { Type } from './instance-types.ts';
import { labelsOf, sizeOf } from './node-state.ts';
import type { Pool } from './pool.ts';

export class Limits {
  readonly #remaining = new Map<string, Amounts>();

  constructor(pools: readonly Pool[], nodes: readonly StateNode[]) {
    for (const { nodePool } of pools) {
      const limits = amounts(nodePool.spec.limits);
      if (Object.keys(limits).length > 0) this.#remaining.set(nodePool.metadata.name, limits);
    }
    for (const node of nodes) {
      const pool = labelsOf(node)['karpenter.sh/nodepool'] ?? '';
      this.#take(pool, { ...sizeOf(node, 'capacity'), nodes: 1000 });
    }
  }

  allows(pool: string, { type }: Type): boolean {
    const remaining = this.#remaining.get(pool) ?? {};
    if (remaining.nodes !== undefined && remaining.nodes <= 0) return false;
    return Object.entries(remaining).every(([name, left]) => (type.capacity[name] ?? 0) <= left);
  }

  /** A new claim counts as the largest node it may become. */
  charge(pool: string, types: readonly Type[]): void {
    const names = Object.keys(this.#remaining.get(pool) ?? {});
    const largest = names.map((name) => [name, Math.max(...types.map(({ type }) => type.capacity[name] ?? 0))]);
    this.#take(pool, { ...Object.fromEntries(largest), nodes: 1000 });
  }

  #take(pool: string, size: Amounts): void {
    const remaining = this.#remaining.get(pool);
    if (remaining) this.#remaining.set(pool, difference(remaining, size));
  }
}
