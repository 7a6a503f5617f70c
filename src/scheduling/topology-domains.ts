/** Which domains new nodes could open, and who may use them (karpenter-core.md 4.11.2; topologydomaingroup.go). */
import type { Taint, Toleration } from '../kube/objects.ts';
import { Requirements } from './requirements.ts';
import { toleratesAll } from './taints.ts';
import type { PoolAndTypes } from './types.ts';

/** Domain → the taints of each pool that provides it; one empty list when some pool has none. */
type Providers = Map<string, (readonly Taint[])[]>;

export class TopologyDomains {
  readonly #byKey = new Map<string, Providers>();
  readonly #pools: readonly PoolAndTypes[];
  readonly #ranks = new Map<string, ReadonlyMap<string, number>>();

  constructor(pools: readonly PoolAndTypes[]) {
    this.#pools = pools;
    for (const pool of pools) this.#addPool(pool);
  }

  /** The domains of a key that a pod may count on; `honorTaints` leaves out those it does not tolerate. */
  of(key: string, honorTaints: boolean, tolerations: readonly Toleration[]): string[] {
    const providers = this.#byKey.get(key);
    if (!providers) return [];
    const domains = [...providers.keys()].filter(
      (domain) => !honorTaints || providers.get(domain)?.some((taints) => toleratesAll(taints, tolerations)),
    );
    return domains.sort();
  }

  /** Which of equally good domains to take: those with the cheapest offering first, then by name. */
  ranks(key: string): ReadonlyMap<string, number> {
    let ranks = this.#ranks.get(key);
    if (!ranks) {
      const prices = this.#cheapest(key);
      const sorted = [...prices].sort(([a, p], [b, q]) => p - q || (a < b ? -1 : 1));
      ranks = new Map(sorted.map(([domain], rank) => [domain, rank]));
      this.#ranks.set(key, ranks);
    }
    return ranks;
  }

  #cheapest(key: string): Map<string, number> {
    const prices = new Map<string, number>();
    for (const { instanceTypes } of this.#pools) {
      for (const { requirements, offerings } of instanceTypes) {
        for (const { available, price, requirements: own } of offerings) {
          if (!available) continue;
          const domains = own.find(key) ?? requirements.find(key);
          for (const domain of domains?.values ?? []) {
            prices.set(domain, Math.min(prices.get(domain) ?? Number.POSITIVE_INFINITY, price));
          }
        }
      }
    }
    return prices;
  }

  #addPool({ nodePool, instanceTypes }: PoolAndTypes): void {
    const { metadata, spec } = nodePool.spec.template;
    const taints = spec.taints ?? [];
    const own = Requirements.fromItems(spec.requirements);
    own.addAll(Requirements.fromLabels(metadata?.labels));
    for (const type of instanceTypes) {
      const both = own.copy();
      both.addAll(type.requirements);
      // The values of an exclusion are taken for domains too: upstream does not look at the operator.
      for (const requirement of both) this.#add(requirement.key, requirement.values, taints);
    }
    for (const requirement of own) {
      if (requirement.operator === 'In') this.#add(requirement.key, requirement.values, taints);
    }
  }

  #add(key: string, domains: Iterable<string>, taints: readonly Taint[]): void {
    let providers = this.#byKey.get(key);
    if (!providers) {
      providers = new Map();
      this.#byKey.set(key, providers);
    }
    for (const domain of domains) {
      const known = providers.get(domain);
      if (!known || taints.length === 0) providers.set(domain, [taints]);
      else if (known[0]?.length !== 0 && !known.includes(taints)) known.push(taints);
    }
  }
}
