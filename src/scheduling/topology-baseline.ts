import { LABEL_HOSTNAME } from '../apis/labels.ts';
import { ownValue } from '../kube/label-requirement.ts';
import type { Node, Pod } from '../kube/objects.ts';
import type { PlacedPods } from './placed-pods.ts';
import type { TopologyRule } from './topology-rule.ts';

/** How a rule finds the cluster before anything moves. */
export interface RuleBaseline {
  /** Pods per domain, where there are any. */
  readonly pods: ReadonlyMap<string, number>;
  /** Nodes per domain; not counted for hostnames. */
  readonly nodes: ReadonlyMap<string, number>;
}

/** Bound pods that want no others near, as one rule puts it. */
export interface InverseBaseline {
  /** Of the first such pod that stays. */
  readonly rule: TopologyRule;
  /** Such pods per domain, those that move included. */
  readonly pods: ReadonlyMap<string, number>;
  readonly leaving: ReadonlyMap<string, number>;
}

/** A bound pod with required anti-affinity. */
export interface AntiAffinePod {
  readonly pod: Pod;
  readonly rules: readonly TopologyRule[];
  readonly node: Node;
}

interface Owner {
  readonly pod: Pod;
  readonly rule: TopologyRule;
  readonly domain: string | undefined;
  readonly position: number;
}

interface Owners {
  readonly all: Owner[];
  readonly pods: Map<string, number>;
}

/**
 * What topology counts start from. It is counted once for all runs on a cluster; a run only takes off the pods that it moves
 * and the nodes that it leaves out.
 */
export class TopologyBaseline {
  readonly #placed: PlacedPods;
  readonly #nodes: readonly Node[];
  readonly #byRule = new Map<string, RuleBaseline>();
  readonly #owners = new Map<string, Owners>();
  readonly #owned = new Map<Pod, Owner[]>();

  /** @param nodes those that take part in a run that leaves none out */
  constructor(placed: PlacedPods, nodes: readonly Node[], antiAffine: readonly AntiAffinePod[]) {
    this.#placed = placed;
    this.#nodes = nodes;
    let position = 0;
    for (const { pod, rules, node } of antiAffine) {
      for (const rule of rules)
        this.#own({ pod, rule, domain: ownValue(node.metadata.labels, rule.key), position: position++ });
    }
  }

  of(rule: TopologyRule): RuleBaseline {
    let baseline = this.#byRule.get(rule.identity);
    if (!baseline) {
      baseline = { pods: this.#placed.counts(rule), nodes: this.#nodesByDomain(rule) };
      this.#byRule.set(rule.identity, baseline);
    }
    return baseline;
  }

  /** In the order of the first pods that stay; rules of which none stays are left out. */
  inverse(moving: ReadonlySet<Pod>): readonly InverseBaseline[] {
    const leaving = this.#leaving(moving);
    const found: (InverseBaseline & { readonly position: number })[] = [];
    for (const [signature, { all, pods }] of this.#owners) {
      const first = all.find(({ pod }) => !moving.has(pod));
      if (!first) continue;
      found.push({ rule: first.rule, position: first.position, pods, leaving: leaving.get(signature) ?? NONE });
    }
    return found.sort((a, b) => a.position - b.position);
  }

  /** The bound pods whose anti-affinity the rule is. */
  ownersOf(rule: TopologyRule): readonly { readonly pod: Pod; readonly domain: string | undefined }[] {
    return this.#owners.get(rule.signature)?.all ?? [];
  }

  #leaving(moving: ReadonlySet<Pod>): Map<string, Map<string, number>> {
    const leaving = new Map<string, Map<string, number>>();
    for (const pod of moving) {
      for (const { rule, domain } of this.#owned.get(pod) ?? []) {
        const counts = leaving.get(rule.signature) ?? new Map<string, number>();
        leaving.set(rule.signature, counts);
        if (domain !== undefined) increment(counts, domain);
      }
    }
    return leaving;
  }

  #own(owner: Owner): void {
    const { signature } = owner.rule;
    const owners: Owners = this.#owners.get(signature) ?? { all: [], pods: new Map() };
    this.#owners.set(signature, owners);
    owners.all.push(owner);
    if (owner.domain !== undefined) increment(owners.pods, owner.domain);
    const own = this.#owned.get(owner.pod);
    if (own) own.push(owner);
    else this.#owned.set(owner.pod, [owner]);
  }

  #nodesByDomain(rule: TopologyRule): ReadonlyMap<string, number> {
    if (rule.key === LABEL_HOSTNAME) return NONE;
    const counts = new Map<string, number>();
    for (const node of this.#nodes) {
      const domain = ownValue(node.metadata.labels, rule.key);
      if (domain !== undefined && this.#placed.passes(rule, node)) increment(counts, domain);
    }
    return counts;
  }
}

const NONE: ReadonlyMap<string, number> = new Map();

/** Adds one to what the map counts for the key. */
export function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
