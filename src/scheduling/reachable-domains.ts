import { intersectInto } from './bit-set.ts';
import { DomainRanks } from './domain-ranks.ts';
import type { InstanceType } from './instance-type.ts';
import type { NodePoolTemplate } from './node-pool-template.ts';
import type { RequirementSet, RequirementSets } from './requirement-sets.ts';
import { toleratesAll } from './taints.ts';
import type { DomainSource } from './topology-domains.ts';
import type { TopologyRule } from './topology-rule.ts';
import type { PoolAndTypes } from './types.ts';

/**
 * The domains in which a new node that the rule counts could really be: some pool that fits the pod's node selection has an
 * instance type on sale there.
 */
export class ReachableDomains implements DomainSource {
  readonly #templates: readonly NodePoolTemplate[];
  readonly #sets: RequirementSets;
  readonly #ranks: DomainRanks;
  readonly #known = new Map<string, readonly string[]>();

  constructor(templates: readonly NodePoolTemplate[], pools: readonly PoolAndTypes[], sets: RequirementSets) {
    this.#templates = templates;
    this.#sets = sets;
    this.#ranks = new DomainRanks(pools);
  }

  of(rule: TopologyRule): readonly string[] {
    const { key, filter, tolerations } = rule;
    const honorTaints = !filter || filter.honorTaints;
    const wishes = filter?.honorAffinity ? filter.alternatives.map((r) => this.#sets.intern(r)) : [this.#sets.empty];
    const question = JSON.stringify([key, wishes.map(({ id }) => id), honorTaints ? tolerations : null]);
    let domains = this.#known.get(question);
    if (!domains) {
      const templates = this.#templates.filter(({ taints }) => !honorTaints || toleratesAll(taints, tolerations));
      domains = this.#find(key, templates, wishes);
      this.#known.set(question, domains);
    }
    return domains;
  }

  ranks(key: string): ReadonlyMap<string, number> {
    return this.#ranks.of(key);
  }

  #find(key: string, templates: readonly NodePoolTemplate[], wishes: readonly RequirementSet[]): readonly string[] {
    const found = new Set<string>();
    for (const template of templates) {
      for (const wish of wishes) {
        const node = this.#sets.join(template.set, wish, true);
        if (!node) continue;
        const variants = template.catalogue.all.slice();
        intersectInto(variants, template.catalogue.eligible(node));
        for (const type of template.catalogue.types(variants)) this.#collect(key, node, type, found);
      }
    }
    return [...found].sort();
  }

  #collect(key: string, { requirements }: RequirementSet, type: InstanceType, found: Set<string>): void {
    const wanted = requirements.find(key);
    for (const offering of type.offerings) {
      const sold = offering.requirements.find(key) ?? type.requirements.find(key) ?? wanted;
      if (!sold || sold.complement || !offering.available || found.isSupersetOf(sold.values)) continue;
      if (!requirements.compatible(offering.requirements, this.#sets.wellKnown)) continue;
      for (const domain of sold.values) if (!wanted || wanted.has(domain)) found.add(domain);
    }
  }
}
