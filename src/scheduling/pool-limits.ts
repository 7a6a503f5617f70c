import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { Bits } from './bit-set.ts';
import { nodeCapacity } from './existing-node.ts';
import type { InstanceType } from './instance-type.ts';
import type { NodePoolTemplate } from './node-pool-template.ts';
import { Requirements } from './requirements.ts';
import { largestResources, toResources } from './resource-list.ts';
import type { Resources } from './resources.ts';
import { nodePoolName } from './state-node.ts';
import type { PoolAndTypes, StateNode } from './types.ts';

/** Pool → what it may add beside these nodes; pools without limits are absent. */
export type RemainingByPool = ReadonlyMap<string, Resources>;

/** @param stalled claims that may yet become nodes beside these */
export function remainingByPool(
  pools: readonly PoolAndTypes[],
  nodes: Iterable<StateNode>,
  stalled: readonly NodeClaim[] = [],
): RemainingByPool {
  const remaining = new Map<string, Resources>();
  for (const { nodePool } of pools) {
    const limits = toResources(nodePool.spec.limits);
    if (Object.keys(limits).length > 0) remaining.set(nodePool.metadata.name, limits);
  }
  if (remaining.size === 0) return remaining;
  for (const node of nodes) change(remaining, node, -1);
  for (const claim of stalled) {
    const pool = pools.find(({ nodePool }) => nodePool.metadata.name === claim.metadata.labels?.[LABEL_NODEPOOL]);
    if (pool) take(remaining, pool.nodePool.metadata.name, largestNode(claim, pool.instanceTypes), -1);
  }
  return remaining;
}

/** What a claim may become at most, as claims of the run that made it are counted. */
function largestNode(claim: NodeClaim, types: readonly InstanceType[]): Resources {
  const wanted = Requirements.fromItems(claim.spec.requirements);
  const allowed = types.filter((type) => type.requirements.intersects(wanted));
  return { ...largestResources(allowed.map((type) => type.capacity)), nodes: 1000 };
}

function change(remaining: Map<string, Resources>, node: StateNode, sign: 1 | -1): void {
  take(remaining, nodePoolName(node) ?? '', nodeCapacity(node), sign);
}

function take(remaining: Map<string, Resources>, pool: string, capacity: Resources, sign: 1 | -1): void {
  const before = remaining.get(pool);
  if (!before) return;
  const after: Record<string, number> = {};
  for (const name in before) after[name] = (before[name] ?? 0) + sign * (capacity[name] ?? 0);
  remaining.set(pool, after);
}

/** What each pool may still add, in one run (karpenter-core.md 4.8). */
export class PoolLimits {
  readonly #remaining: Map<string, Resources>;
  readonly #atFirst: RemainingByPool;
  readonly #chargeNodes: boolean;

  /**
   * @param gone nodes that are counted in `remaining` but don't take part
   * @param keepKnownFaults claims of one run are not counted against a limit on nodes
   */
  constructor(remaining: RemainingByPool, gone: Iterable<StateNode>, keepKnownFaults: boolean) {
    this.#chargeNodes = !keepKnownFaults;
    this.#remaining = new Map(remaining);
    if (remaining.size > 0) for (const node of gone) change(this.#remaining, node, 1);
    this.#atFirst = new Map(this.#remaining);
  }

  remaining(pool: string): Resources | undefined {
    return this.#remaining.get(pool);
  }

  /** What claims of this run take of the pool's limit on a resource. */
  charged(pool: string, resource: string): number {
    return (this.#atFirst.get(pool)?.[resource] ?? 0) - (this.#remaining.get(pool)?.[resource] ?? 0);
  }

  /** Whether the pool may have no further node, whatever its size. */
  nodesExhausted(pool: string): boolean {
    const nodes = this.#remaining.get(pool)?.nodes;
    return nodes === 0 || (this.#chargeNodes && nodes !== undefined && nodes < 0);
  }

  /** Variants of types that don't exceed any limit; undefined when no node may be added at all. A copy. */
  within(template: NodePoolTemplate): Bits | undefined {
    const remaining = this.#remaining.get(template.name);
    if (!remaining) return template.catalogue.everything.slice();
    if (this.nodesExhausted(template.name)) return undefined;
    const names = Object.keys(remaining);
    return template.catalogue.where((type) =>
      names.every((name) => (type.capacity[name] ?? 0) <= (remaining[name] ?? 0)),
    );
  }

  /** Counts a new claim as the largest it may become. */
  charge(template: NodePoolTemplate, variants: Bits): void {
    const remaining = this.#remaining.get(template.name);
    if (!remaining) return;
    const largest = largestResources(template.catalogue.types(variants).map((type) => type.capacity));
    const left: Record<string, number> = {};
    for (const name in remaining) left[name] = (remaining[name] ?? 0) - (largest[name] ?? 0);
    if (this.#chargeNodes && left.nodes !== undefined) left.nodes -= 1000;
    this.#remaining.set(template.name, left);
  }
}
