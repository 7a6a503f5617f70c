import { LABEL_HOSTNAME } from '../apis/labels.ts';
import type { Taint } from '../kube/objects.ts';
import { filterMatches } from './node-filter.ts';
import type { PodShape } from './pod-shape.ts';
import { Requirement } from './requirement.ts';
import type { RequirementSet } from './requirement-sets.ts';
import { Requirements } from './requirements.ts';
import type { TopologyGroup } from './topology-group.ts';
import { type TopologyContext, TopologyGroups } from './topology-groups.ts';
import type { TopologyRule } from './topology-rule.ts';
import type { TopologyTarget } from './topology-target.ts';

/** Domains that a group has been given up for, where it could choose. */
interface TriedDomains {
  readonly group: TopologyGroup;
  readonly domains: ReadonlySet<string>;
}

/** A rule that refuses a node. */
export type TopologyFailure = {
  readonly group: TopologyGroup;
  /** The rule is other pods' that keeps this one away. */
  readonly ofOthers: boolean;
  readonly selectsPod: boolean;
  readonly podDomains: Requirement | undefined;
  readonly nodeDomains: Requirement | undefined;
  /** The rule could be met but for the node, which has no such label. */
  readonly chosen?: Requirement | undefined;
};

/** What rules about other pods allow in one run (karpenter-core.md 4.11; upstream's topology.go). */
export class Topology {
  readonly #context: TopologyContext;
  readonly #groups: TopologyGroups;
  readonly #passes = new Map<TopologyRule, Map<RequirementSet, Map<readonly Taint[], boolean>>>();
  /** Whether the last refusal stands for as long as the run lasts. */
  permanent = false;

  constructor(context: TopologyContext) {
    this.#context = context;
    this.#groups = new TopologyGroups(context);
  }

  /** To be called in the order in which pods are first looked at. */
  register(shape: PodShape): void {
    this.#groups.register(shape);
  }

  /**
   * Pods that want to be together start where the volumes of those that have some can be: otherwise the first, that has none,
   * could settle where the others can't follow.
   */
  foreseeVolumes(shapes: Iterable<PodShape>): void {
    for (const shape of shapes) {
      if (!shape.volumeAlternatives) continue;
      for (const group of this.#groups.of(shape).selectsItself) {
        if (group.rule.type !== 'pod affinity' || group.isHostname) continue;
        const reach = shape.volumeAlternatives.map(({ set }) => set.requirements.find(group.rule.key));
        group.startWithin((domain) => reach.some((requirement) => !requirement || requirement.has(domain)));
      }
    }
  }

  /** A look at the hostname alone, before anything that takes longer. */
  refusesHostname(shape: PodShape, hostname: string): boolean {
    const { ofHostname, selectsItself } = this.#groups.of(shape);
    for (const group of ofHostname) {
      const podDomains = shape.strict.find(LABEL_HOSTNAME);
      if (group.allowsHostname(hostname, podDomains, selectsItself.has(group))) continue;
      this.permanent = group.rule.type !== 'pod affinity';
      return true;
    }
    return false;
  }

  /**
   * What else `tighten` could have answered: where a rule chose among equally good domains, it does so anew, one rule at a
   * time. Upstream, which leaves such choices to chance, comes to them when it tries the pod again.
   */
  *others(shape: PodShape, set: RequirementSet, target: TopologyTarget): Generator<RequirementSet> {
    for (const group of this.#groups.of(shape).binding) {
      if (group.isHostname || group.rule.type === 'pod anti-affinity') continue;
      const tried = new Set<string>();
      let result = this.tighten(shape, set, target);
      while (result) {
        const before = tried.size;
        for (const domain of result.requirements.find(group.rule.key)?.values ?? []) tried.add(domain);
        if (tried.size === before) break;
        result = this.tighten(shape, set, target, { group, domains: tried });
        if (result) yield result;
      }
    }
  }

  /**
   * The set narrowed to domains that all rules allow; undefined when there are none.
   *
   * @param tried equally good domains that the group is not to choose
   */
  tighten(
    shape: PodShape,
    set: RequirementSet,
    target: TopologyTarget,
    tried?: TriedDomains,
  ): RequirementSet | undefined {
    const { binding, selectsItself } = this.#groups.of(shape);
    let result: RequirementSet | undefined = set;
    const ignored = this.#context.keepKnownFaults && !target.fresh ? this.#contradictions(shape, set) : NO_KEYS;
    for (const group of binding) {
      if (ignored.has(group.rule.key)) continue;
      const without = tried?.group === group ? tried.domains : undefined;
      result = this.#apply(group, selectsItself.has(group), shape, set, result, target, without);
      if (!result) return undefined;
    }
    return result;
  }

  /**
   * Upstream's fault: where two rules about a label that a node lacks exclude each other, together they ask for no such
   * label, which the node satisfies. Answers the keys of such labels; none where a rule refuses the node by itself.
   */
  #contradictions(shape: PodShape, set: RequirementSet): ReadonlySet<string> {
    const { binding, selectsItself } = this.#groups.of(shape);
    const wanted = new Map<string, Requirement>();
    for (const group of binding) {
      const { key } = group.rule;
      if (group.isHostname || set.requirements.has(key)) continue;
      const chosen = group.choose(shape.strict.find(key), undefined, selectsItself.has(group));
      if (!chosen) return NO_KEYS;
      const before = wanted.get(key);
      wanted.set(key, before ? before.intersection(chosen) : chosen);
    }
    return new Set([...wanted.values()].filter((r) => r.operator === 'DoesNotExist').map((r) => r.key));
  }

  /** Why `tighten` refuses; undefined when it doesn't, or when each rule alone could be met. */
  failure(shape: PodShape, set: RequirementSet, target: TopologyTarget): TopologyFailure | undefined {
    return this.failures(shape, set, target).next().value;
  }

  /** Every rule that alone refuses the node. */
  *failures(shape: PodShape, set: RequirementSet, target: TopologyTarget): Generator<TopologyFailure, undefined> {
    const { owned, keptAwayBy, selectsItself } = this.#groups.of(shape);
    for (const [index, group] of [...owned, ...keptAwayBy].entries()) {
      const selectsPod = selectsItself.has(group);
      if (this.#apply(group, selectsPod, shape, set, set, target)) continue;
      const nodeDomains = group.isHostname
        ? Requirement.of(LABEL_HOSTNAME, 'In', [target.hostname])
        : set.requirements.find(group.rule.key);
      const podDomains = shape.strict.find(group.rule.key);
      const chosen = group.isHostname ? undefined : group.choose(podDomains, nodeDomains, selectsPod);
      yield { group, ofOthers: index >= owned.length, selectsPod, podDomains, nodeDomains, chosen };
    }
  }

  /**
   * Domains of a key that every rule of the pod's own about it allows as things are, wherever nodes are; undefined without such
   * rules, `none` when one of them allows nothing.
   */
  domainsFor(shape: PodShape, key: string): ReadonlySet<string> | 'none' | undefined {
    const { owned, selectsItself } = this.#groups.of(shape);
    let result: ReadonlySet<string> | undefined;
    for (const group of owned) {
      if (group.rule.key !== key) continue;
      const allowed = group.allowedDomains(shape.set.requirements.find(key), selectsItself.has(group));
      if (allowed.size === 0) return 'none';
      result = result ? result.intersection(allowed) : allowed;
    }
    return result;
  }

  /** Counts a pod that goes to the target, which now has these requirements. */
  record(shape: PodShape, set: RequirementSet, target: TopologyTarget): void {
    const { counted, ownedInverse } = this.#groups.of(shape);
    for (const group of counted) {
      if (!this.#nodePasses(group.rule, set, target)) continue;
      if (group.isHostname) {
        group.record(target.hostname);
        continue;
      }
      const domains = set.requirements.find(group.rule.key);
      if (!domains) continue;
      if (group.rule.type === 'pod anti-affinity') for (const domain of domains.values) group.record(domain);
      else if (!domains.complement && domains.values.size === 1)
        for (const domain of domains.values) group.record(domain);
    }
    for (const group of ownedInverse) {
      if (group.isHostname) group.record(target.hostname);
      else for (const domain of set.requirements.find(group.rule.key)?.values ?? []) group.record(domain);
    }
  }

  #apply(
    group: TopologyGroup,
    selectsPod: boolean,
    shape: PodShape,
    set: RequirementSet,
    narrowed: RequirementSet,
    target: TopologyTarget,
    tried?: ReadonlySet<string>,
  ): RequirementSet | undefined {
    const podDomains = shape.strict.find(group.rule.key);
    if (group.isHostname) {
      if (group.allowsHostname(target.hostname, podDomains, selectsPod)) return narrowed;
      this.permanent = group.rule.type !== 'pod affinity';
      return undefined;
    }
    const nodeDomains = set.requirements.find(group.rule.key);
    if (group.rule.type === 'pod anti-affinity' && !this.#context.keepKnownFaults) {
      if (!nodeDomains && this.#neverHas(target, group.rule.key)) return narrowed;
      if (nodeDomains && !target.fresh) {
        this.permanent = [...nodeDomains.values].some((domain) => group.count(domain) > 0);
        return this.permanent ? undefined : narrowed;
      }
    }
    const left = narrowed === set ? nodeDomains : narrowed.requirements.find(group.rule.key);
    const chosen = group.choose(podDomains, nodeDomains, selectsPod, left, tried);
    this.permanent = group.rule.type === 'pod anti-affinity' && !chosen;
    return chosen && this.#context.sets.narrow(narrowed, chosen, target.fresh);
  }

  /** A node that will never have the label is in no domain, so nobody can be in the same one. */
  #neverHas(target: TopologyTarget, key: string): boolean {
    return !(target.fresh && this.#context.sets.wellKnown.has(key));
  }

  #nodePasses(rule: TopologyRule, set: RequirementSet, target: TopologyTarget): boolean {
    const { filter } = rule;
    if (!filter) return true;
    if (filter.alternatives.some((alternative) => alternative.has(LABEL_HOSTNAME))) {
      const own = Requirement.of(LABEL_HOSTNAME, 'In', [target.hostname]);
      return filterMatches(filter, target.taints, new Requirements([...set.requirements, own]));
    }
    let bySet = this.#passes.get(rule);
    if (!bySet) {
      bySet = new Map();
      this.#passes.set(rule, bySet);
    }
    let byTaints = bySet.get(set);
    if (!byTaints) {
      byTaints = new Map();
      bySet.set(set, byTaints);
    }
    const known = byTaints.get(target.taints);
    if (known !== undefined) return known;
    const passes = filterMatches(filter, target.taints, set.requirements);
    byTaints.set(target.taints, passes);
    return passes;
  }
}

const NO_KEYS: ReadonlySet<string> = new Set();
