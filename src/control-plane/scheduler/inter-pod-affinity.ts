import { ownValue } from '../../kube/label-requirement.ts';
import type { AffinityTerm, NamespaceLabels } from './affinity-term.ts';
import type { Filter, Rejection } from './filter.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

/** Topology key → value → number. */
class TopologyCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  get empty(): boolean {
    return this.#counts.size === 0;
  }

  add(node: NodeInfo, key: string, amount: number): void {
    const value = ownValue(node.labels, key);
    if (value === undefined) return;
    const values = this.#counts.get(key) ?? new Map<string, number>();
    values.set(value, (values.get(value) ?? 0) + amount);
    this.#counts.set(key, values);
  }

  get(node: NodeInfo, key: string): number {
    const value = ownValue(node.labels, key);
    return value === undefined ? 0 : (this.#counts.get(key)?.get(value) ?? 0);
  }

  /** Over all keys that the node has a value for. */
  sum(node: NodeInfo): number {
    let sum = 0;
    for (const key of this.#counts.keys()) sum += this.get(node, key);
    return sum;
  }

  any(node: NodeInfo): boolean {
    for (const key of this.#counts.keys()) if (this.get(node, key) > 0) return true;
    return false;
  }
}

const NO_AFFINITY: Rejection = {
  plugin: 'InterPodAffinity',
  reasons: ["node(s) didn't match pod affinity rules"],
  resolvable: false,
};
const ANTI_AFFINITY: Rejection = {
  plugin: 'InterPodAffinity',
  reasons: ["node(s) didn't match pod anti-affinity rules"],
  resolvable: true,
};
const REPELLED: Rejection = {
  plugin: 'InterPodAffinity',
  reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"],
  resolvable: true,
};

/** A term list selects a pod when all of them do; an empty list selects none. */
const allSelect = (terms: readonly AffinityTerm[], pod: PodInfo, namespaceLabels: NamespaceLabels): boolean =>
  terms.length > 0 && terms.every((term) => term.selects(pod, namespaceLabels));

/** Domains of pods already placed whose required anti-affinity is against the newcomer. */
function repelling(pod: PodInfo, nodes: readonly NodeInfo[], namespaceLabels: NamespaceLabels): TopologyCounts {
  const counts = new TopologyCounts();
  for (const node of nodes) {
    if (node.withRequiredAntiAffinity === 0) continue;
    for (const other of node.pods.values()) {
      for (const term of other.requiredAntiAffinity) {
        if (term.selects(pod, namespaceLabels)) counts.add(node, term.topologyKey, 1);
      }
    }
  }
  return counts;
}

export const interPodAffinity: Filter = {
  plugin: 'InterPodAffinity',
  clusterWide: true,
  prepare(pod, { nodes, namespaceLabels }) {
    const { requiredAffinity, requiredAntiAffinity } = pod;
    const repelled = repelling(pod, nodes, namespaceLabels);
    if (repelled.empty && requiredAffinity.length === 0 && requiredAntiAffinity.length === 0) return undefined;
    const near = new TopologyCounts();
    const away = new TopologyCounts();
    if (requiredAffinity.length > 0 || requiredAntiAffinity.length > 0) {
      for (const node of nodes) {
        for (const other of node.pods.values()) {
          if (allSelect(requiredAffinity, other, namespaceLabels)) {
            for (const { topologyKey } of requiredAffinity) near.add(node, topologyKey, 1);
          }
          for (const term of requiredAntiAffinity) {
            if (term.selects(other, namespaceLabels)) away.add(node, term.topologyKey, 1);
          }
        }
      }
    }
    // The first pod of a group that wants to be together has nobody to be with yet.
    const first = near.empty && allSelect(requiredAffinity, pod, namespaceLabels);
    return {
      check(node) {
        if (requiredAffinity.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return NO_AFFINITY;
        if (!first && requiredAffinity.some(({ topologyKey }) => near.get(node, topologyKey) <= 0)) return NO_AFFINITY;
        if (requiredAntiAffinity.some(({ topologyKey }) => away.get(node, topologyKey) > 0)) return ANTI_AFFINITY;
        return repelled.any(node) ? REPELLED : undefined;
      },
    };
  },
};

/** Weight of a placed pod's required affinity to the newcomer, as a preference (HardPodAffinityWeight). */
const HARD_AFFINITY_WEIGHT = 1;

/** Sum of preferences, of the pod and of those already placed, per node; undefined when there are none. */
export function affinityPreferences(
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  namespaceLabels: NamespaceLabels,
): ((node: NodeInfo) => number) | undefined {
  const own = pod.preferredAffinity.length > 0 || pod.preferredAntiAffinity.length > 0;
  const counts = new TopologyCounts();
  const count = (terms: readonly AffinityTerm[], about: PodInfo, node: NodeInfo, factor: number): void => {
    for (const term of terms) {
      if (term.selects(about, namespaceLabels)) counts.add(node, term.topologyKey, factor * term.weight);
    }
  };
  for (const node of nodes) {
    if (!own && node.withAffinity === 0) continue;
    for (const other of node.pods.values()) {
      if (!own && !other.hasAffinity) continue;
      count(pod.preferredAffinity, other, node, 1);
      count(pod.preferredAntiAffinity, other, node, -1);
      count(other.requiredAffinity, pod, node, HARD_AFFINITY_WEIGHT);
      count(other.preferredAffinity, pod, node, 1);
      count(other.preferredAntiAffinity, pod, node, -1);
    }
  }
  return counts.empty ? undefined : (node) => counts.sum(node);
}
