import type { NodePool } from '../../apis/node-pool.ts';
import { parseQuantityMilli } from '../../kube/quantity.ts';
import { nodeCapacity } from '../../scheduling/existing-node.ts';
import { largestResources } from '../../scheduling/resource-list.ts';
import type { Resources } from '../../scheduling/resources.ts';
import { nodePoolName, providerID } from '../../scheduling/state-node.ts';
import type { PlannedNodeClaim, StateNode } from '../../scheduling/types.ts';
import type { Cluster } from '../../state/cluster.ts';

/** The pool has used up one of its limits since the plan was made. */
export class LimitExceededError extends Error {
  override readonly name = 'LimitExceededError';
}

/** What one planned claim takes of its pool until it is launched. */
export interface Promised {
  readonly pool: string;
  readonly size: Resources;
  /** Undefined while the claim is being created. */
  claim?: string;
}

/**
 * What pools have promised to claims that are not launched, which no node shows yet. Plans may be older than that: two that
 * were made at the same time have each been given the same room.
 */
export class PromisedCapacity {
  readonly #cluster: Cluster;
  readonly #promised = new Set<Promised>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /**
   * Holds room for the largest node that the plan may become, as its scheduler counted it.
   *
   * @param replaced nodes that make room for it.
   * @throws LimitExceededError when there is none.
   */
  hold(pool: NodePool, plan: PlannedNodeClaim, replaced: readonly StateNode[]): Promised {
    this.#forgetLaunched();
    this.checkUsed(pool);
    const { name } = pool.metadata;
    const size = { ...largestResources(plan.instanceTypes.map(({ capacity }) => capacity)), nodes: 1000 };
    const taken = [size, ...[...this.#promised].filter((other) => other.pool === name).map((other) => other.size)];
    // As they are now: one that has gone since the plan was made has made its room already, maybe for somebody else.
    const leaving = replaced
      .flatMap((node) => this.#cluster.node(providerID(node)) ?? [])
      .filter((node) => nodePoolName(node) === name && !node.markedForDeletion)
      .map(nodeCapacity);
    const used = this.#cluster.poolResources(name);
    for (const [resource, limit] of Object.entries(pool.spec.limits ?? {})) {
      const all = (used[resource] ?? 0) + sum(taken, resource) - sum(leaving, resource);
      if (all > parseQuantityMilli(limit)) throw exceeded(resource, limit);
    }
    const promised: Promised = { pool: name, size };
    this.#promised.add(promised);
    return promised;
  }

  /** The claim was not created. */
  release(promised: Promised): void {
    this.#promised.delete(promised);
  }

  /** @throws LimitExceededError when the pool's nodes are beyond one of its limits already. */
  checkUsed(pool: NodePool): void {
    const used = this.#cluster.poolResources(pool.metadata.name);
    for (const [resource, limit] of Object.entries(pool.spec.limits ?? {}))
      if ((used[resource] ?? 0) > parseQuantityMilli(limit)) throw exceeded(resource, limit);
  }

  #forgetLaunched(): void {
    for (const promised of this.#promised)
      if (promised.claim !== undefined && !this.#cluster.isUnlaunched(promised.claim)) this.#promised.delete(promised);
  }
}

const sum = (resources: readonly Resources[], name: string): number =>
  resources.reduce((total, each) => total + (each[name] ?? 0), 0);

const exceeded = (resource: string, limit: string | number): LimitExceededError =>
  new LimitExceededError(`resource usage exceeds limit (resource-name=${resource}, limit=${limit})`);
