import { findCondition } from '../../kube/conditions.ts';
import type { PodDisruptionBudget } from '../../kube/objects.ts';
import { selects } from '../../kube/selectors.ts';
import type { ClusterView } from './cluster-cache.ts';
import type { Filter, Rejection } from './filter.ts';
import { type Diagnosis, type PreparedCheck, prepareFilters, rejection } from './find-nodes.ts';
import { fitMessage } from './fit-message.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

/** A node that would fit the pod without some less important pods. */
export interface Candidate {
  readonly node: NodeInfo;
  /** Most important first; never empty. */
  readonly victims: readonly PodInfo[];
  /** Victims whose budget does not allow them to go. */
  readonly violations: number;
}

export type PreemptionOutcome =
  | { readonly candidate: Candidate }
  /** Goes after the reasons, behind `preemption: `. `forget`: an earlier nomination is void. */
  | { readonly message: string; readonly forget: boolean };

export interface PreemptionInput {
  readonly pod: PodInfo;
  readonly view: ClusterView;
  readonly filters: readonly Filter[];
  readonly diagnosis: Diagnosis;
  readonly budgets: readonly PodDisruptionBudget[];
  /** What other pods have been promised on a node; see `findNodes`. */
  readonly alsoFits: (node: NodeInfo) => Rejection | undefined;
  /** Where among the nodes to begin. */
  readonly start: number;
}

const NO_VICTIMS: Rejection = {
  plugin: 'NodeResourcesFit',
  reasons: ['No preemption victims found for incoming pod'],
  resolvable: false,
};

/** Higher priority first, then the one that has run longer. */
const byImportance = (a: PodInfo, b: PodInfo): number => b.priority - a.priority || a.startTime - b.startTime;

const preempted = ({ pod }: PodInfo): boolean => {
  const condition = findCondition(pod, 'DisruptionTarget');
  return (
    pod.metadata.deletionTimestamp !== undefined &&
    condition?.status === 'True' &&
    condition.reason === 'PreemptionByScheduler'
  );
};

function whyNotEligible({ pod, view, diagnosis }: PreemptionInput): string | undefined {
  if (pod.pod.spec.preemptionPolicy === 'Never') return 'not eligible due to preemptionPolicy=Never.';
  const nominated = pod.pod.status?.nominatedNodeName;
  const node = nominated ? view.nodes.find(({ name }) => name === nominated) : undefined;
  if (node === undefined || diagnosis.rejections.get(node)?.resolvable === false) return undefined;
  for (const other of node.pods.values()) {
    if (other.priority < pod.priority && preempted(other)) {
      return 'not eligible due to a terminating pod on the nominated node.';
    }
  }
  return undefined;
}

/** Splits into pods whose budget would be violated and the others, keeping the order. */
function splitByBudget(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly free: readonly PodInfo[] } {
  const allowed = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const violates = (pod: PodInfo): boolean => {
    if (Object.keys(pod.labels).length === 0) return false;
    for (const budget of budgets) {
      const { selector } = budget.spec;
      if (budget.metadata.namespace !== pod.namespace || !selects(selector, pod.labels)) continue;
      if (!selector?.matchLabels && !selector?.matchExpressions?.length) continue;
      if (budget.status?.disruptedPods?.[pod.pod.metadata.name] !== undefined) continue;
      const left = (allowed.get(budget) ?? 0) - 1;
      allowed.set(budget, left);
      if (left < 0) return true;
    }
    return false;
  };
  const violating: PodInfo[] = [];
  const free: PodInfo[] = [];
  for (const pod of pods) (violates(pod) ? violating : free).push(pod);
  return { violating, free };
}

/** Filters that look at the whole cluster are asked anew each time a pod moves. */
function fits(input: PreemptionInput, checks: readonly PreparedCheck[], node: NodeInfo): Rejection | undefined {
  const { pod, view, filters, alsoFits } = input;
  const local = rejection(
    checks.filter(({ filter }) => !filter.clusterWide),
    node,
  );
  if (local !== undefined) return local;
  if (checks.some(({ filter }) => filter.clusterWide)) {
    const nodes = view.nodes.map((other) => (other.name === node.name ? node : other));
    const wide = filters.filter(({ clusterWide }) => clusterWide);
    const prepared = prepareFilters(pod, { nodes, namespaceLabels: view.namespaceLabels }, wide);
    if ('checks' in prepared) {
      const found = rejection(prepared.checks, node);
      if (found !== undefined) return found;
    }
  }
  return alsoFits(node);
}

/** The smallest set of less important pods without which the pod fits on the node, or why there is none. */
function victimsOn(input: PreemptionInput, checks: readonly PreparedCheck[], node: NodeInfo): Candidate | Rejection {
  const trial = node.clone();
  const potential = [...node.pods.values()].filter(({ priority }) => priority < input.pod.priority).sort(byImportance);
  if (potential.length === 0) return NO_VICTIMS;
  for (const { key } of potential) trial.remove(key);
  const without = fits(input, checks, trial);
  if (without !== undefined) return without;
  const { violating, free } = splitByBudget(potential, input.budgets);
  const victims: PodInfo[] = [];
  let violations = 0;
  for (const victim of [...violating, ...free]) {
    trial.add(victim);
    if (fits(input, checks, trial) === undefined) continue;
    trial.remove(victim.key);
    victims.push(victim);
    if (violating.includes(victim)) violations++;
  }
  return { node, victims: victims.sort(byImportance), violations };
}

const highest = ({ victims }: Candidate): number => victims[0]?.priority ?? 0;

/** Start of the longest-running among the most important victims. */
function earliestStart(candidate: Candidate): number {
  const top = highest(candidate);
  return Math.min(...candidate.victims.filter(({ priority }) => priority === top).map(({ startTime }) => startTime));
}

/** Fewer broken budgets, less important victims, fewer of them, younger ones: pickOneNodeForPreemption's order. */
const COSTS: readonly ((candidate: Candidate) => number)[] = [
  ({ violations }) => violations,
  highest,
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
  ({ victims }) => victims.length,
  (candidate) => -earliestStart(candidate),
];

function cheapest(candidates: readonly Candidate[]): Candidate | undefined {
  let left = candidates;
  for (const cost of COSTS) {
    const least = Math.min(...left.map(cost));
    left = left.filter((candidate) => cost(candidate) === least);
    if (left.length === 1) break;
  }
  return left[0];
}

/** At least 100 nodes are tried, or a tenth of them. */
const enoughCandidates = (nodes: number): number => Math.min(nodes, Math.max(100, Math.trunc(nodes / 10)));

/** Looks for pods to remove in favour of one that fits nowhere (DefaultPreemption). Changes nothing. */
export function findPreemption(input: PreemptionInput): PreemptionOutcome {
  const { pod, view, filters, diagnosis, start } = input;
  const ineligible = whyNotEligible(input);
  if (ineligible !== undefined) return { message: ineligible, forget: false };
  const potential = view.nodes.filter((node) => diagnosis.rejections.get(node)?.resolvable);
  const prepared = prepareFilters(pod, view, filters);
  const candidates: Candidate[] = [];
  const rejections = new Map<NodeInfo, Rejection>();
  if ('checks' in prepared) {
    const enough = enoughCandidates(potential.length);
    for (let tried = 0; tried < potential.length; tried++) {
      const node = potential[(start + tried) % potential.length] as NodeInfo;
      const found = victimsOn(input, prepared.checks, node);
      if ('victims' in found) candidates.push(found);
      else rejections.set(node, found);
      if (candidates.length >= enough && candidates.some(({ violations }) => violations === 0)) break;
    }
  }
  const candidate = cheapest(candidates);
  if (candidate !== undefined) return { candidate };
  const others = 'Preemption is not helpful for scheduling';
  return { message: fitMessage(view.nodes.length, { rejections, others }), forget: true };
}
