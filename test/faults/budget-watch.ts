import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { NodePool } from '../../src/apis/node-pool.ts';
import type { Clock } from '../../src/kube/clock.ts';
import { conditionIsTrue } from '../../src/kube/conditions.ts';
import type { Node } from '../../src/kube/objects.ts';
import { disruptionReason, isInitialized, poolOf } from './claims.ts';
import { LimitWatch } from './limit-watch.ts';

const REASONS = ['Underutilized', 'Empty', 'Drifted'] as const;
/** A command may have been decided when the pool was as large as it was this long ago. */
const MEMORY_MS = 1_200_000;

export interface BudgetWatchDeps {
  readonly clock: Clock;
  readonly violated: (what: string) => void;
}

/** Knows at every moment how many nodes of each pool are being disrupted, and how much has been bought for it. */
export class BudgetWatch {
  readonly #deps: BudgetWatchDeps;
  readonly #limits: LimitWatch;
  readonly #pools = new Map<string, NodePool>();
  readonly #claims = new Map<string, NodeClaim>();
  /** ProviderIDs of the nodes there are: a claim that has lost its node is nobody's doing. */
  readonly #nodes = new Map<string, string>();
  /** Sizes of each pool over time, for budgets in percent. */
  readonly #sizes = new Map<string, { readonly at: number; readonly size: number }[]>();

  constructor(deps: BudgetWatchDeps) {
    this.#deps = deps;
    this.#limits = new LimitWatch(deps);
  }

  updatePool(pool: NodePool, gone: boolean): void {
    if (gone) this.#pools.delete(pool.metadata.name);
    else this.#pools.set(pool.metadata.name, pool);
  }

  updateNode({ metadata, spec }: Node, gone: boolean): void {
    if (gone) this.#nodes.delete(metadata.name);
    else this.#nodes.set(metadata.name, spec.providerID ?? '');
  }

  updateClaim(claim: NodeClaim, gone: boolean): void {
    if (gone) this.#claims.delete(claim.metadata.name);
    else this.#claims.set(claim.metadata.name, claim);
    const pool = this.#pools.get(poolOf(claim));
    if (!pool) return;
    const claims = [...this.#claims.values()].filter((other) => poolOf(other) === pool.metadata.name);
    this.#checkBudgets(pool, claims);
    this.#limits.update(pool, claims);
  }

  #checkBudgets(pool: NodePool, all: readonly NodeClaim[]): void {
    const present = new Set(this.#nodes.values());
    const claims = all.filter(
      (claim) =>
        isInitialized(claim) &&
        !conditionIsTrue(claim, 'InstanceTerminating') &&
        present.has(claim.status?.providerID ?? ''),
    );
    const size = this.#largest(pool.metadata.name, claims.length);
    for (const reason of REASONS) {
      const down = claims.filter((claim) => disruptionReason(claim) === reason);
      const allowed = Math.min(
        ...(pool.spec.disruption?.budgets ?? [])
          .filter(({ reasons }) => reasons?.includes(reason) ?? true)
          .map(({ nodes }) => (nodes.endsWith('%') ? Math.ceil((parseInt(nodes, 10) * size) / 100) : Number(nodes))),
      );
      if (down.length <= allowed) continue;
      const names = down.map(({ metadata }) => metadata.name).join(' ');
      this.#deps.violated(`budget of ${pool.metadata.name} for ${reason}: ${allowed} of ${size}, but ${names}`);
    }
  }

  #largest(pool: string, size: number): number {
    const now = this.#deps.clock.now();
    const sizes = (this.#sizes.get(pool) ?? []).filter(({ at }) => now - at < MEMORY_MS);
    sizes.push({ at: now, size });
    this.#sizes.set(pool, sizes);
    return Math.max(...sizes.map((entry) => entry.size));
  }
}
