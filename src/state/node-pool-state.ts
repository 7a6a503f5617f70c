interface PoolClaims {
  readonly active: Set<string>;
  readonly pendingDisruption: Set<string>;
  readonly deleting: Set<string>;
  /** Nodes promised to callers that have not created their claims yet. */
  reserved: number;
}

export interface PoolCounts {
  readonly active: number;
  readonly pendingDisruption: number;
  readonly deleting: number;
}

type Stage = keyof PoolCounts;

/** How many claims each pool has in which stage; what static pools and `limits.nodes` go by (karpenter-core.md 8.11). */
export class NodePoolState {
  readonly #pools = new Map<string, PoolClaims>();
  readonly #poolOfClaim = new Map<string, string>();

  /** Files the claim under exactly one stage. */
  file(pool: string, claim: string, stage: Stage): void {
    if (pool === '') return;
    const claims = this.#claims(pool);
    for (const other of ['active', 'pendingDisruption', 'deleting'] as const) claims[other].delete(claim);
    claims[stage].add(claim);
    this.#poolOfClaim.set(claim, pool);
  }

  isPendingDisruption(claim: string): boolean {
    return this.#pools.get(this.#poolOfClaim.get(claim) ?? '')?.pendingDisruption.has(claim) ?? false;
  }

  forget(claim: string): void {
    const pool = this.#poolOfClaim.get(claim) ?? '';
    const claims = this.#pools.get(pool);
    this.#poolOfClaim.delete(claim);
    if (!claims) return;
    for (const stage of ['active', 'pendingDisruption', 'deleting'] as const) claims[stage].delete(claim);
    const { active, pendingDisruption, deleting } = this.counts(pool);
    if (active + pendingDisruption + deleting + claims.reserved === 0) this.#pools.delete(pool);
  }

  counts(pool: string): PoolCounts {
    const claims = this.#pools.get(pool);
    return {
      active: claims?.active.size ?? 0,
      pendingDisruption: claims?.pendingDisruption.size ?? 0,
      deleting: claims?.deleting.size ?? 0,
    };
  }

  /** Grants up to `wanted` nodes within `limit`, counting everything that exists or is promised. */
  reserve(pool: string, limit: number, wanted: number): number {
    const claims = this.#claims(pool);
    const { active, pendingDisruption, deleting } = this.counts(pool);
    const granted = Math.max(0, Math.min(wanted, limit - active - pendingDisruption - deleting - claims.reserved));
    claims.reserved += granted;
    return granted;
  }

  release(pool: string, count: number): void {
    const claims = this.#pools.get(pool);
    if (claims) claims.reserved = Math.max(0, claims.reserved - count);
  }

  #claims(pool: string): PoolClaims {
    let claims = this.#pools.get(pool);
    if (!claims) {
      claims = { active: new Set(), pendingDisruption: new Set(), deleting: new Set(), reserved: 0 };
      this.#pools.set(pool, claims);
    }
    return claims;
  }
}
