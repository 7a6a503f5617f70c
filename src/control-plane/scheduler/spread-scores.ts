import { ownValue } from '../../kube/label-requirement.ts';
import type { ClusterView } from './cluster-cache.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import type { DefaultConstraints } from './scores.ts';
import { hasKeys, ownConstraints, type SpreadConstraint } from './topology-spread.ts';

const MAX = 100;
const HOSTNAME = 'kubernetes.io/hostname';

/** Matching pods per value of the topology key, for values that a candidate has. */
function countByValue(
  constraint: SpreadConstraint,
  values: ReadonlySet<string>,
  nodes: readonly NodeInfo[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const value = ownValue(node.labels, constraint.topologyKey) ?? '';
    if (!values.has(value) || !constraint.includes(node)) continue;
    counts.set(value, (counts.get(value) ?? 0) + constraint.count(node));
  }
  return counts;
}

/**
 * PodTopologySpread as a preference: the fewer matching pods in a candidate's domains the better. Larger topologies weigh
 * more, or their small counts would be drowned by those of smaller ones.
 */
export function spreadScores(
  pod: PodInfo,
  candidates: readonly NodeInfo[],
  view: ClusterView,
  defaultConstraints: DefaultConstraints,
): readonly number[] | undefined {
  const stated = (pod.pod.spec.topologySpreadConstraints ?? []).length > 0;
  const constraints = stated ? ownConstraints(pod, 'ScheduleAnyway') : defaultConstraints(pod);
  if (constraints.length === 0) return undefined;
  // By default a node without a zone is still spread over by host; what a pod states itself needs all its keys.
  const counted = (node: NodeInfo): boolean => !stated || hasKeys(node, constraints);
  const scored = candidates.filter(counted);
  const nodes = view.nodes.filter(counted);
  const perConstraint = constraints.map((constraint) => {
    const { topologyKey } = constraint;
    const byHost = topologyKey === HOSTNAME;
    const values = new Set(scored.map(({ labels }) => labels[topologyKey] ?? ''));
    const counts = byHost ? undefined : countByValue(constraint, values, nodes);
    return { constraint, counts, weight: Math.log((byHost ? scored.length : values.size) + 2) };
  });
  const raw = candidates.map((node) => {
    if (!counted(node)) return undefined;
    let score = 0;
    for (const { constraint, counts, weight } of perConstraint) {
      const value = ownValue(node.labels, constraint.topologyKey);
      if (value === undefined) continue;
      score += (counts?.get(value) ?? (counts ? 0 : constraint.count(node))) * weight + constraint.maxSkew - 1;
    }
    return Math.round(score);
  });
  const known = raw.filter((score) => score !== undefined);
  const [min, max] = [Math.min(...known), Math.max(0, ...known)];
  return raw.map((score) => {
    if (score === undefined) return 0;
    return max === 0 ? MAX : Math.trunc((MAX * (max + min - score)) / max);
  });
}
