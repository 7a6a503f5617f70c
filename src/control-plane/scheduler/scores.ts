import { matchesTerm } from '../../kube/node-affinity.ts';
import { tolerates } from '../../kube/taints.ts';
import type { ClusterView } from './cluster-cache.ts';
import { affinityPreferences } from './inter-pod-affinity.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';
import { spreadScores } from './spread-scores.ts';
import type { SpreadConstraint } from './topology-spread.ts';

const MAX = 100;

/** Constraints of kube-scheduler's own for pods of services and workloads that state none. */
export type DefaultConstraints = (pod: PodInfo) => readonly SpreadConstraint[];

/** Scales so that the largest becomes 100, turned around if `reverse`. */
function normalized(scores: readonly number[], reverse: boolean): readonly number[] {
  const max = Math.max(...scores);
  if (max === 0) return reverse ? scores.map(() => MAX) : scores;
  const scaled = scores.map((score) => Math.trunc((score * MAX) / max));
  return reverse ? scaled.map((score) => MAX - score) : scaled;
}

function taintScores({ pod }: PodInfo, nodes: readonly NodeInfo[]): readonly number[] {
  const tolerations = (pod.spec.tolerations ?? []).filter(({ effect }) => !effect || effect === 'PreferNoSchedule');
  const counts = nodes.map(
    ({ taints }) =>
      taints.filter(
        (taint) =>
          taint.effect === 'PreferNoSchedule' && !tolerations.some((toleration) => tolerates(toleration, taint)),
      ).length,
  );
  return normalized(counts, true);
}

function nodeAffinityScores({ pod }: PodInfo, nodes: readonly NodeInfo[]): readonly number[] | undefined {
  const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (preferred.length === 0) return undefined;
  const sums = nodes.map(({ node }) =>
    preferred.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0),
  );
  return normalized(sums, false);
}

const free = (requested: number, capacity: number): number =>
  requested > capacity ? 0 : Math.trunc(((capacity - requested) * MAX) / capacity);

/** NodeResourcesFit with LeastAllocated: the emptier the better, by cpu and memory alike. */
function leastAllocated(pod: PodInfo, node: NodeInfo): number {
  const { cpu = 0, memory = 0 } = node.allocatable;
  let sum = 0;
  let weight = 0;
  if (cpu > 0) {
    sum += free(node.assumedCpu + pod.assumedCpu, cpu);
    weight++;
  }
  if (memory > 0) {
    sum += free(node.assumedMemory + pod.assumedMemory, memory);
    weight++;
  }
  return weight === 0 ? 0 : Math.trunc(sum / weight);
}

/** 100 where cpu and memory are used to the same share. */
function balance(cpu: number, memory: number, node: NodeInfo): number {
  const { cpu: cpuCapacity = 0, memory: memoryCapacity = 0 } = node.allocatable;
  if (cpuCapacity === 0 || memoryCapacity === 0) return MAX;
  const difference = Math.min(1, cpu / cpuCapacity) - Math.min(1, memory / memoryCapacity);
  return Math.trunc((1 - Math.abs(difference / 2)) * MAX);
}

/** NodeResourcesBalancedAllocation: whether the pod makes the node's use of cpu and memory more even. */
function balancedScores(pod: PodInfo, nodes: readonly NodeInfo[]): readonly number[] | undefined {
  const requests = Object.fromEntries(pod.requests);
  const { cpu = 0, memory = 0 } = requests;
  if (cpu === 0 && memory === 0) return undefined;
  return nodes.map((node) => {
    const { cpu: cpuUsed = 0, memory: memoryUsed = 0 } = node.requested;
    const change = balance(cpuUsed + cpu, memoryUsed + memory, node) - balance(cpuUsed, memoryUsed, node);
    return MAX / 2 + Math.trunc((MAX / 2 + change) / 2);
  });
}

function affinityScores(pod: PodInfo, nodes: readonly NodeInfo[], view: ClusterView): readonly number[] | undefined {
  const preference = affinityPreferences(pod, view.nodes, view.namespaceLabels);
  if (preference === undefined) return undefined;
  const sums = nodes.map(preference);
  const [min, max] = [Math.min(...sums), Math.max(...sums)];
  return sums.map((sum) => (max === min ? 0 : Math.trunc((MAX * (sum - min)) / (max - min))));
}

/** Total of kube-scheduler's default score plugins, in the order of `nodes`. Image locality is left out: no node has images. */
export function scoreNodes(
  pod: PodInfo,
  nodes: readonly NodeInfo[],
  view: ClusterView,
  defaultConstraints: DefaultConstraints,
): readonly number[] {
  const weighted: readonly (readonly [weight: number, scores: readonly number[] | undefined])[] = [
    [3, taintScores(pod, nodes)],
    [2, nodeAffinityScores(pod, nodes)],
    [1, nodes.map((node) => leastAllocated(pod, node))],
    [1, balancedScores(pod, nodes)],
    [2, spreadScores(pod, nodes, view, defaultConstraints)],
    [2, affinityScores(pod, nodes, view)],
  ];
  const totals = nodes.map(() => 0);
  for (const [weight, scores] of weighted) {
    if (scores === undefined) continue;
    for (let index = 0; index < totals.length; index++) {
      totals[index] = (totals[index] ?? 0) + weight * (scores[index] ?? 0);
    }
  }
  return totals;
}
