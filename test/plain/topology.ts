/** Where pods may be because of where others are (karpenter-core.md 4.11). */
import type { Node, Pod, Taint } from '../../src/kube/objects.ts';
import { isTerminal, isTerminating } from '../../src/kube/pods.ts';
import type { StateNode, World } from '../../src/scheduling/index.ts';
import { byPrice, reachableDomains } from './domains.ts';
import { labelsOf } from './node-state.ts';
import type { Pool, Template } from './pool.ts';
import { allows, oneOf } from './requirement.ts';
import { type Labels, labelsAsWishes, meets, plus, strictWishes, type Wishes } from './requirements.ts';
import { Group } from './topology-group.ts';
import { concerns, counts, identity, ownRules, type Rule, rulesForOthers } from './topology-rule.ts';

const HOSTNAME = 'kubernetes.io/hostname';

export interface TopologyInput {
  readonly world: World;
  readonly batch: readonly Pod[];
  readonly pools: readonly Pool[];
  readonly templates: readonly Template[];
  /** Those that take part. */
  readonly nodes: readonly StateNode[];
  readonly mayLack: ReadonlySet<string>;
  readonly respectPreferences: boolean;
  readonly placesOfVolumes: (pod: Pod) => readonly Wishes[] | undefined;
}

export class Topology {
  readonly #input: TopologyInput;
  readonly #groups = new Map<string, Group>();
  /** Other way round: the rule's owners are counted, and those whom it concerns are kept away. */
  readonly #inverse = new Map<string, Group>();

  constructor(input: TopologyInput) {
    this.#input = input;
    const { world, batch } = input;
    for (const pod of world.pods) {
      const node = this.#nodeOf(pod);
      if (!node || isTerminal(pod) || batch.includes(pod)) continue;
      for (const rule of this.#rulesForOthers(pod)) {
        const group = this.#inverseGroup(rule);
        const domain = node.metadata.labels?.[rule.key];
        if (domain !== undefined) group.add(domain);
      }
    }
    for (const pod of batch) this.meet(pod);
    for (const pod of batch) this.#startNearVolumes(pod);
  }

  /** Begins to count what the pod's rules, as far as it has been relaxed, are about. */
  meet(pod: Pod): void {
    for (const rule of this.#rulesForOthers(pod)) this.#inverseGroup(rule);
    for (const rule of this.#ownRules(pod)) {
      const id = identity(rule);
      if (!this.#groups.has(id)) this.#groups.set(id, this.#counted(rule));
    }
  }

  /** Whether the pod may be on a node that has these labels and no others. */
  allowsNode(pod: Pod, labels: Labels, hostname: string): boolean {
    const strict = strictWishes(pod);
    return this.#binding(pod).every((group) => {
      const { key, type } = group.rule;
      const domain = key === HOSTNAME ? hostname : labels[key];
      if (domain === undefined) return type === 'anti-affinity';
      return group.admits(domain, strict.get(key), concerns(group.rule, pod));
    });
  }

  recordOnNode(pod: Pod, labels: Labels, hostname: string, taints: readonly Taint[]): void {
    const wishes = plus(labelsAsWishes(labels), labelsAsWishes({ [HOSTNAME]: hostname }));
    const counting = [...this.#groups.values()].filter(
      ({ rule }) => concerns(rule, pod) && counts(rule, taints, wishes),
    );
    for (const group of [...counting, ...this.#ownInverse(pod)]) {
      const domain = group.rule.key === HOSTNAME ? hostname : labels[group.rule.key];
      if (domain !== undefined) group.add(domain);
    }
  }

  /**
   * What a new node that gets the pod has to be; then what else it could be, where a rule chose among equally good domains.
   * None when there is no such node.
   */
  *ways(pod: Pod, wishes: Wishes, hostname: string): Generator<Wishes> {
    const best = this.#narrowed(pod, wishes, hostname);
    if (!best) return;
    yield best;
    for (const group of this.#binding(pod)) {
      const { key, type } = group.rule;
      if (key === HOSTNAME || type === 'anti-affinity') continue;
      const tried = new Set(best.get(key)?.values);
      for (let size = 0; tried.size > size; ) {
        size = tried.size;
        const other = this.#narrowed(pod, wishes, hostname, { group, tried });
        if (!other) break;
        yield other;
        for (const domain of other.get(key)?.values ?? []) tried.add(domain);
      }
    }
  }

  #narrowed(
    pod: Pod,
    wishes: Wishes,
    hostname: string,
    without?: { readonly group: Group; readonly tried: ReadonlySet<string> },
  ): Wishes | undefined {
    const { mayLack } = this.#input;
    const strict = strictWishes(pod);
    let result = wishes;
    for (const group of this.#binding(pod)) {
      const { key, type } = group.rule;
      const isConcerned = concerns(group.rule, pod);
      if (key === HOSTNAME) {
        if (!group.admits(hostname, strict.get(key), isConcerned)) return undefined;
        continue;
      }
      if (type === 'anti-affinity' && !wishes.has(key) && !mayLack.has(key)) continue;
      const tried = without?.group === group ? without.tried : new Set<string>();
      const chosen = group.choose(strict.get(key), wishes.get(key), result.get(key), isConcerned, tried);
      const wish = new Map([[key, oneOf(key, chosen)]]);
      if (chosen.length === 0 || !meets(result, wish, mayLack)) return undefined;
      result = plus(result, wish);
    }
    return result;
  }

  /** Counts a pod on a new node: where it is, if that is known; for anti-affinity, wherever it may be. */
  recordOnNew(pod: Pod, wishes: Wishes, taints: readonly Taint[]): void {
    for (const group of this.#groups.values()) {
      if (!concerns(group.rule, pod) || !counts(group.rule, taints, wishes)) continue;
      const wish = wishes.get(group.rule.key);
      if (!wish) continue;
      const isKnown = !wish.others && wish.values.size === 1;
      if (isKnown || group.rule.type === 'anti-affinity') for (const domain of wish.values) group.add(domain);
    }
    for (const group of this.#ownInverse(pod)) {
      for (const domain of wishes.get(group.rule.key)?.values ?? []) group.add(domain);
    }
  }

  /** First the rules that only rule out, last those that choose, so that they can choose among what is left. */
  #binding(pod: Pod): readonly Group[] {
    const away = [...this.#inverse.values()].filter(({ rule }) => concerns(rule, pod));
    const own = groupsOf(this.#ownRules(pod), this.#groups);
    const ofType = (type: Rule['type']): readonly Group[] => own.filter(({ rule }) => rule.type === type);
    return [...away, ...ofType('anti-affinity'), ...ofType('affinity'), ...ofType('spread')];
  }

  #ownInverse(pod: Pod): readonly Group[] {
    return groupsOf(this.#rulesForOthers(pod), this.#inverse);
  }

  #ownRules(pod: Pod): readonly Rule[] {
    return ownRules(pod, this.#input.world.namespaces, this.#input.respectPreferences);
  }

  #rulesForOthers(pod: Pod): readonly Rule[] {
    return rulesForOthers(pod, this.#input.world.namespaces);
  }

  #inverseGroup(rule: Rule): Group {
    const id = identity(rule);
    const group = this.#inverse.get(id) ?? this.#empty(rule);
    this.#inverse.set(id, group);
    return group;
  }

  #empty(rule: Rule): Group {
    const { templates, pools, mayLack } = this.#input;
    return new Group(rule, reachableDomains(rule, templates, mayLack), byPrice(rule.key, pools));
  }

  /** With the domains of existing nodes, and the pods that are there and stay. */
  #counted(rule: Rule): Group {
    const { world, nodes, batch } = this.#input;
    const group = this.#empty(rule);
    for (const state of nodes) {
      if (!state.node || !this.#nodeCounts(rule, state.node)) continue;
      const domain = labelsOf(state)[rule.key];
      if (domain !== undefined) group.know(domain);
    }
    for (const pod of world.pods) {
      const node = this.#nodeOf(pod);
      if (!node || isTerminal(pod) || isTerminating(pod) || batch.includes(pod)) continue;
      if (!this.#isListed(rule, pod) || !this.#nodeCounts(rule, node)) continue;
      const domain = node.metadata.labels?.[rule.key] ?? (rule.key === HOSTNAME ? node.metadata.name : undefined);
      if (domain !== undefined) group.add(domain);
    }
    return group;
  }

  /** Without a selector a rule begins by counting everybody (4.11.7). */
  #isListed(rule: Rule, pod: Pod): boolean {
    return rule.selector ? concerns(rule, pod) : rule.namespaces.includes(pod.metadata.namespace ?? '');
  }

  #nodeCounts(rule: Rule, { metadata, spec }: Node): boolean {
    return counts(rule, spec.taints ?? [], labelsAsWishes(metadata.labels));
  }

  #nodeOf(pod: Pod): Node | undefined {
    const { nodeName } = pod.spec;
    const { nodes, unnotedNodes = [] } = this.#input.world;
    const all = [...nodes.flatMap(({ node }) => node ?? []), ...unnotedNodes];
    return nodeName ? all.find(({ metadata }) => metadata.name === nodeName) : undefined;
  }

  #startNearVolumes(pod: Pod): void {
    const places = this.#input.placesOfVolumes(pod);
    if (!places) return;
    for (const group of groupsOf(this.#ownRules(pod), this.#groups)) {
      const { rule, starts = new Set(group.pods.keys()) } = group;
      if (rule.type !== 'affinity' || rule.key === HOSTNAME || !concerns(rule, pod)) continue;
      const near = [...starts].filter((domain) =>
        places.some((place) => {
          const wish = place.get(rule.key);
          return !wish || allows(wish, domain);
        }),
      );
      if (near.length > 0) group.starts = new Set(near);
    }
  }
}

function groupsOf(rules: readonly Rule[], groups: ReadonlyMap<string, Group>): readonly Group[] {
  return [...new Set(rules.map(identity))].flatMap((id) => groups.get(id) ?? []);
}
