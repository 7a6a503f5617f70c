import type { Taint } from '../kube/objects.ts';
import { DomainRanks } from './domain-ranks.ts';
import { Requirements } from './requirements.ts';
import { toleratesAll } from './taints.ts';
import type { TopologyRule } from './topology-rule.ts';
import type { PoolAndTypes } from './types.ts';

/** Domain → the taints of each pool that provides it; one empty list when some pool has none. */
type Providers = Map<string, (readonly Taint[])[]>;

/** The domains that a rule has to reckon with although nothing is in them yet. */
export interface DomainSource {
  /** Sorted. */
  of(rule: TopologyRule): readonly string[];
  /** Which of equally good domains to take: those with the cheapest offering first, then by name. */
  ranks(key: string): ReadonlyMap<string, number>;
}

/**
 * Upstream's answer: whatever any pool or any of its instance types names, filtered by taints alone (karpenter-core.md 4.11.2;
 * topologydomaingroup.go). A domain that the pod can't reach counts as empty for ever and holds up its spreading.
 */
export class NamedDomains implements DomainSource {
  readonly #byKey = new Map<string, Providers>();
  readonly #ranks: DomainRanks;

  constructor(pools: readonly PoolAndTypes[]) {
    this.#ranks = new DomainRanks(pools);
    for (const pool of pools) this.#addPool(pool);
  }

  of({ key, filter, tolerations }: TopologyRule): readonly string[] {
    const honorTaints = !filter || filter.honorTaints;
    const providers = this.#byKey.get(key);
    if (!providers) return [];
    const domains = [...providers.keys()].filter(
      (domain) => !honorTaints || providers.get(domain)?.some((taints) => toleratesAll(taints, tolerations)),
    );
    return domains.sort();
  }

  ranks(key: string): ReadonlyMap<string, number> {
    return this.#ranks.of(key);
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
