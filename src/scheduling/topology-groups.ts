import { LABEL_HOSTNAME } from '../apis/labels.ts';
import { ownValue } from '../kube/label-requirement.ts';
import type { Node, Pod } from '../kube/objects.ts';
import type { PlacedPods } from './placed-pods.ts';
import type { PodShape } from './pod-shape.ts';
import type { RequirementSets } from './requirement-sets.ts';
import type { Selections } from './selections.ts';
import type { ShapeTopology } from './shape-topology.ts';
import { increment, type TopologyBaseline } from './topology-baseline.ts';
import type { DomainSource } from './topology-domains.ts';
import { TopologyGroup } from './topology-group.ts';
import type { TopologyRule } from './topology-rule.ts';

/** What rules about other pods are judged by in one run. */
export interface TopologyContext {
  readonly sets: RequirementSets;
  readonly domains: DomainSource;
  readonly keepKnownFaults: boolean;
  readonly placed: PlacedPods;
  readonly baseline: TopologyBaseline;
  readonly selections: Selections;
  /** Nodes that the baseline counts and that don't take part in this run. */
  readonly excluded: readonly Node[];
  /** Pods that this run moves: they don't count where they are now. */
  readonly moving: readonly Pod[];
}

/** The topology groups of one run, and which of them concern a shape. */
export class TopologyGroups {
  readonly #context: TopologyContext;
  readonly #groups = new Map<string, TopologyGroup>();
  readonly #inverse = new Map<string, TopologyGroup>();
  readonly #byShape = new Map<PodShape, ShapeTopology & { readonly groupCount: number }>();
  /** What was asked for last, which is nearly always what is asked for next. */
  #lastShape: PodShape | undefined;
  #last: (ShapeTopology & { readonly groupCount: number }) | undefined;

  constructor(context: TopologyContext) {
    this.#context = context;
    for (const { rule, pods, leaving } of context.baseline.inverse(new Set(context.moving))) {
      this.#inverse.set(rule.signature, this.#group(rule, this.#openDomains(rule), pods, leaving));
    }
  }

  /** Builds the groups of a shape's rules, if need be; to be called in the order in which pods are first looked at. */
  register(shape: PodShape): void {
    for (const rule of shape.inverseRules) this.#inverseGroup(rule);
    for (const rule of shape.rules) {
      if (!this.#groups.has(rule.signature)) this.#groups.set(rule.signature, this.#countedGroup(rule));
    }
  }

  /** What the shape has to do with the groups that there are by now. */
  of(shape: PodShape): ShapeTopology {
    const groupCount = this.#groups.size + this.#inverse.size;
    const known = this.#lastShape === shape ? this.#last : this.#byShape.get(shape);
    this.#lastShape = shape;
    this.#last = known;
    if (known?.groupCount === groupCount) return known;
    const { selections } = this.#context;
    const selected = (group: TopologyGroup): boolean => selections.selects(group.rule, shape);
    const owned = [...new Set(shape.rules.map((rule) => this.#groups.get(rule.signature)))].filter(isGroup);
    const keptAwayBy = [...this.#inverse.values()].filter(selected);
    const topology = {
      groupCount,
      owned,
      keptAwayBy,
      binding: [...keptAwayBy, ...owned.toSorted(byFreedom)],
      ofHostname: [...owned, ...keptAwayBy].filter((group) => group.isHostname),
      counted: [...this.#groups.values()].filter(selected),
      ownedInverse: [...new Set(shape.inverseRules.map((rule) => this.#inverse.get(rule.signature)))].filter(isGroup),
      selectsItself: new Set([...owned.filter(selected), ...keptAwayBy]),
    };
    this.#byShape.set(shape, topology);
    this.#last = topology;
    return topology;
  }

  #inverseGroup(rule: TopologyRule): TopologyGroup {
    let group = this.#inverse.get(rule.signature);
    if (!group) {
      group = this.#group(rule, this.#openDomains(rule), NONE, NONE);
      this.#inverse.set(rule.signature, group);
    }
    return group;
  }

  /** A group with these domains and the pods that are there, less those that leave. */
  #group(
    rule: TopologyRule,
    domains: Map<string, number>,
    pods: ReadonlyMap<string, number>,
    leaving: ReadonlyMap<string, number>,
  ): TopologyGroup {
    const deps = { sets: this.#context.sets, ranks: this.#context.domains.ranks(rule.key) };
    if (rule.key === LABEL_HOSTNAME) {
      const group = new TopologyGroup(rule, pods, deps);
      for (const [domain, count] of leaving) group.record(domain, -count);
      return group;
    }
    for (const [domain, count] of pods) {
      const left = count - (leaving.get(domain) ?? 0);
      if (left > 0) domains.set(domain, left);
    }
    return new TopologyGroup(rule, domains, deps);
  }

  /** Domains that new nodes could be in, all empty. */
  #openDomains(rule: TopologyRule): Map<string, number> {
    if (rule.key === LABEL_HOSTNAME) return new Map();
    return new Map(this.#context.domains.of(rule).map((domain) => [domain, 0]));
  }

  #countedGroup(rule: TopologyRule): TopologyGroup {
    const { baseline, placed, excluded, moving } = this.#context;
    const { pods, nodes } = baseline.of(rule);
    const gone = new Map<string, number>();
    if (nodes.size > 0) {
      for (const node of excluded) {
        const domain = ownValue(node.metadata.labels, rule.key);
        if (domain !== undefined && placed.passes(rule, node)) increment(gone, domain);
      }
    }
    const domains = this.#openDomains(rule);
    for (const [domain, count] of nodes) {
      if (count > (gone.get(domain) ?? 0) && !domains.has(domain)) domains.set(domain, 0);
    }
    const leaving = new Map<string, number>();
    for (const pod of moving) {
      const node = placed.nodeOf(pod);
      if (!node || !countsInitially(rule, pod)) continue;
      const domain = placed.domainOf(rule, node);
      if (domain !== undefined) increment(leaving, domain);
    }
    return this.#group(rule, domains, pods, leaving);
  }
}

const NONE: ReadonlyMap<string, number> = new Map();

/** Anti-affinity never chooses, affinity does when it starts, spreads always do. */
const FREEDOM: readonly TopologyRule['type'][] = ['pod anti-affinity', 'pod affinity', 'topology spread'];

function byFreedom(a: TopologyGroup, b: TopologyGroup): number {
  return FREEDOM.indexOf(a.rule.type) - FREEDOM.indexOf(b.rule.type);
}

function isGroup(group: TopologyGroup | undefined): group is TopologyGroup {
  return group !== undefined;
}

function countsInitially(rule: TopologyRule, pod: Pod): boolean {
  if (!rule.namespaces.has(pod.metadata.namespace ?? '')) return false;
  return !rule.selector || rule.matches(pod.metadata.labels);
}
