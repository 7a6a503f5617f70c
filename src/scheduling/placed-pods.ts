import { LABEL_HOSTNAME } from '../apis/labels.ts';
import { ownValue } from '../kube/label-requirement.ts';
import type { Node, Pod } from '../kube/objects.ts';
import { isTerminal, isTerminating } from '../kube/pods.ts';
import { filterMatches } from './node-filter.ts';
import { Requirements } from './requirements.ts';
import type { TopologyRule } from './topology-rule.ts';

/** Bound pods that no rule can tell apart, by node. */
interface Placed {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly perNode: Map<Node, number>;
}

/**
 * The bound pods of a cluster, counted once for all runs. `labelKeys` are the keys that any selector mentions: pods that
 * differ in others are the same to every rule.
 */
export class PlacedPods {
  readonly #nodes: ReadonlyMap<string, Node>;
  readonly #classes = new Map<string, Placed>();
  readonly #requirements = new Map<Node, Requirements>();
  readonly #labelKeys: ReadonlySet<string>;

  constructor(pods: Iterable<Pod>, nodes: ReadonlyMap<string, Node>, labelKeys: ReadonlySet<string>) {
    this.#nodes = nodes;
    this.#labelKeys = labelKeys;
    for (const pod of pods) this.#add(pod);
  }

  /** The node of a pod that counts for topology; undefined for one that doesn't. */
  nodeOf(pod: Pod): Node | undefined {
    if (!pod.spec.nodeName || isTerminal(pod) || isTerminating(pod)) return undefined;
    return this.#nodes.get(pod.spec.nodeName);
  }

  /** The domain in which a pod on the node counts for the rule, if it counts. */
  domainOf(rule: TopologyRule, node: Node): string | undefined {
    const labels = node.metadata.labels ?? {};
    const domain = ownValue(labels, rule.key) ?? (rule.key === LABEL_HOSTNAME ? node.metadata.name : undefined);
    return domain !== undefined && this.passes(rule, node) ? domain : undefined;
  }

  passes(rule: TopologyRule, node: Node): boolean {
    return !rule.filter || filterMatches(rule.filter, node.spec.taints ?? [], this.#requirementsOf(node));
  }

  /** A rule without a selector starts from every pod of its namespaces, as upstream's listing does. */
  counts(rule: TopologyRule): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { namespace, labels, perNode } of this.#classes.values()) {
      if (!rule.namespaces.has(namespace) || (rule.selector && !rule.matches(labels))) continue;
      for (const [node, count] of perNode) {
        const domain = this.domainOf(rule, node);
        if (domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + count);
      }
    }
    return counts;
  }

  #requirementsOf(node: Node): Requirements {
    let requirements = this.#requirements.get(node);
    if (!requirements) {
      requirements = Requirements.fromLabels(node.metadata.labels);
      this.#requirements.set(node, requirements);
    }
    return requirements;
  }

  #add(pod: Pod): void {
    const node = this.nodeOf(pod);
    if (!node) return;
    const namespace = pod.metadata.namespace ?? '';
    const labels = relevantLabels(pod.metadata.labels, this.#labelKeys);
    const key = `${namespace} ${JSON.stringify(labels)}`;
    let placed = this.#classes.get(key);
    if (!placed) {
      placed = { namespace, labels, perNode: new Map() };
      this.#classes.set(key, placed);
    }
    placed.perNode.set(node, (placed.perNode.get(node) ?? 0) + 1);
  }
}

/** The labels that rules can see, keys in order. */
export function relevantLabels(
  labels: Readonly<Record<string, string>> | undefined,
  keys: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const relevant: Record<string, string> = {};
  if (!labels || keys.size === 0) return relevant;
  for (const key of Object.keys(labels).sort()) {
    if (keys.has(key)) relevant[key] = labels[key] ?? '';
  }
  return relevant;
}
