import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { NodePool } from '../../src/apis/node-pool.ts';
import { parseQuantityMilli } from '../../src/kube/quantity.ts';
import { disruptionReason } from './claims.ts';

/** What a pool had in use when a claim was created. */
interface Birth {
  readonly used: Readonly<Record<string, number>>;
  /** Claims that were there, but had not been launched. */
  readonly unlaunched: readonly string[];
}

/**
 * Checks that no claim is created unless its pool has room for what it and those before it turn into. Nodes that are being
 * disrupted do not count, and may be given back when their command fails or its controller dies: a pool may have more than
 * its limit, but nobody may buy for one that has.
 */
export class LimitWatch {
  readonly #violated: (what: string) => void;
  readonly #births = new Map<string, Birth>();

  constructor(deps: { readonly violated: (what: string) => void }) {
    this.#violated = deps.violated;
  }

  /** @param claims all there are of the pool. */
  update(pool: NodePool, claims: readonly NodeClaim[]): void {
    const byName = new Map(claims.map((claim) => [claim.metadata.name, claim]));
    const limits = Object.entries(pool.spec.limits ?? {});
    for (const claim of claims) {
      const { name } = claim.metadata;
      let birth = this.#births.get(name);
      if (!birth) {
        const others = claims.filter((other) => other !== claim && !isLeaving(other));
        const used = Object.fromEntries(limits.map(([resource]) => [resource, total(others, resource)]));
        const unlaunched = others.filter(({ status }) => !status?.providerID).map(({ metadata }) => metadata.name);
        birth = { used, unlaunched };
        this.#births.set(name, birth);
      }
      if (!claim.status?.providerID || isLeaving(claim)) continue;
      const older = birth.unlaunched.flatMap((other) => byName.get(other) ?? []).filter((other) => !isLeaving(other));
      for (const [resource, limit] of limits) {
        const used = (birth.used[resource] ?? 0) + total([claim, ...older], resource);
        if (used <= parseQuantityMilli(limit)) continue;
        this.#violated(`limit of ${pool.metadata.name}: ${name} makes it ${used / 1000} of ${limit} ${resource}`);
      }
    }
  }
}

const isLeaving = (claim: NodeClaim): boolean =>
  claim.metadata.deletionTimestamp !== undefined || disruptionReason(claim) !== undefined;

const total = (claims: readonly NodeClaim[], resource: string): number =>
  claims.reduce((sum, { status }) => {
    if (!status?.providerID) return sum;
    return sum + (resource === 'nodes' ? 1000 : parseQuantityMilli(status.capacity?.[resource] ?? '0'));
  }, 0);
