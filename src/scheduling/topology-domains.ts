/** Which domains new nodes could open, and who may use them (karpenter-core.md 4.11.2; topologydomaingroup.go). */
import type { Taint, Toleration } from '../kube/objects.ts';
import { Requirements } from './requirements.ts';
import { toleratesAll } from './taints.ts';
import type { PoolAndTypes } from './types.ts';

/** Domain → the taints of each pool that provides it; one empty list when some pool has none. */
type Providers = Map<string, (readonly Taint[])[]>;

export class TopologyDomains {
  readonly #byKey = new Map<string, Providers>();

  constructor(pools: readonly PoolAndTypes[]) {
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
