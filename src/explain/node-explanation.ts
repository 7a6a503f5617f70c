import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_ZONE } from '../apis/labels.ts';
import type { Blocker, Command } from '../disruption/types.ts';
import type { Pod } from '../kube/objects.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { isTerminal } from '../kube/pods.ts';
import { formatMilli } from '../kube/quantity.ts';
import { PdbLimits } from '../scheduling/pdb-limits.ts';
import { doNotDisrupt, isReschedulable } from '../scheduling/pod-lifecycle.ts';
import { addResources, toResources } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';
import { nodeLabels, nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { PodError, PoolAndTypes, StateNode, TopologyFacts, World } from '../scheduling/types.ts';
import { commandContext, commandReport, type DisruptionCommandReport } from './command-report.ts';
import { type BlockerReport, blockerReport } from './disruption-report.ts';
import { nodePrice } from './node-price.ts';
import { plannedClaimReport, podName } from './plan-report.ts';
import type { Solve } from './solve.ts';

/** What would become of one pod if its node went away. */
export interface PodMove {
  readonly pod: string;
  /** An existing node, a new one, nowhere; or the pod needs no new place. */
  readonly to: 'node' | 'newNode' | 'nowhere' | 'staysBehind';
  /** Node name, or what would be launched, or why there is no place. */
  readonly detail: string;
  /** Why the pod may not be evicted now: the annotation, or the PDBs that stand in the way. */
  readonly protected?: string;
  /** Rules about other pods that keep it from a place, each with its counts. */
  readonly topology?: readonly TopologyFacts[];
}

export interface NodeExplanation {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'NodeExplanation';
  readonly node: string;
  readonly nodePool: string | null;
  readonly instanceType: string | null;
  readonly zone: string | null;
  readonly capacityType: string | null;
  /** Per hour. */
  readonly price: number | null;
  readonly requested: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  /** What consolidation would do with this node now, had it the turn. */
  readonly command: DisruptionCommandReport | null;
  /** What keeps it; empty when there is a command. */
  readonly blockers: readonly BlockerReport[];
  /** The simulated removal, pod by pod. */
  readonly removal: {
    readonly pods: readonly PodMove[];
    /** Per hour, of the nodes that would be launched for the pods. */
    readonly newNodesPrice: number;
  };
}

export interface NodeQuestion {
  readonly node: StateNode;
  readonly world: World;
  readonly verdict:
    | { readonly command: Command }
    | { readonly command?: undefined; readonly blockers: readonly Blocker[] };
  readonly solve: Solve;
  readonly wellKnown: ReadonlySet<string>;
}

/** Whether consolidation would take the node, what keeps it, and where its pods would go. */
export function explainNode({ node, world, verdict, solve, wellKnown }: NodeQuestion): NodeExplanation {
  const labels = nodeLabels(node);
  const name = stateNodeName(node);
  const types = poolOf(node, world)?.instanceTypes ?? [];
  const requested = world.pods
    .filter((pod) => pod.spec.nodeName === name && !isTerminal(pod))
    .map((pod): Resources => ({ ...podRequests(pod), pods: 1000 }))
    .reduce((a, b) => addResources(a, b), {} as Resources);
  const blockers = verdict.command ? [] : verdict.blockers;
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'NodeExplanation',
    node: name,
    nodePool: nodePoolName(node) ?? null,
    instanceType: labels[LABEL_INSTANCE_TYPE] ?? null,
    zone: labels[LABEL_ZONE] ?? null,
    capacityType: labels[LABEL_CAPACITY_TYPE] ?? null,
    price: nodePrice(labels, types) ?? null,
    requested: printed(requested),
    allocatable: printed(toResources(node.node?.status?.allocatable)),
    command: verdict.command ? commandReport(verdict.command, commandContext(world, wellKnown)) : null,
    blockers: blockers.map(blockerReport),
    removal: simulateRemoval(node, world, solve, wellKnown),
  };
}

function poolOf(node: StateNode, world: World): PoolAndTypes | undefined {
  const name = nodePoolName(node);
  return world.pools.find(({ nodePool }) => nodePool.metadata.name === name);
}

function simulateRemoval(
  node: StateNode,
  world: World,
  solve: Solve,
  wellKnown: ReadonlySet<string>,
): NodeExplanation['removal'] {
  const name = stateNodeName(node);
  const here = world.pods.filter((pod) => pod.spec.nodeName === name && !isTerminal(pod));
  const moving = here.filter(isReschedulable);
  const nodes = world.nodes.filter((other) => other !== node);
  const results = solve({ ...world, nodes }, moving, true);
  const launched = results.newNodeClaims.map((claim) => plannedClaimReport(claim, wellKnown));
  const pdbs = new PdbLimits(world.podDisruptionBudgets);
  const moves = here.map((pod): PodMove => {
    const base = { pod: podName(pod), ...protection(pod, pdbs, world.now) };
    if (!moving.includes(pod)) return { ...base, to: 'staysBehind', detail: 'goes with the node' };
    const index = results.newNodeClaims.findIndex(({ pods }) => pods.includes(pod));
    const claim = launched[index];
    if (claim) return { ...base, to: 'newNode', detail: `${claim.instanceTypes[0]} of NodePool ${claim.nodePool}` };
    const existing = results.existingNodes.find(({ pods }) => pods.includes(pod));
    if (existing) return { ...base, to: 'node', detail: stateNodeName(existing.node) };
    const error = results.podErrors.get(pod);
    const nearest = error?.targets?.[0]?.reasons[0];
    const topology = topologyRules(error);
    return {
      ...base,
      to: 'nowhere',
      detail: nearest?.message ?? error?.message ?? 'not reached',
      ...(topology.length > 0 ? { topology } : {}),
    };
  });
  return { pods: moves, newNodesPrice: launched.reduce((sum, claim) => sum + claim.cheapestPrice, 0) };
}

/** Each rule once, though every pool may fail on it. */
function topologyRules(error: PodError | undefined): readonly TopologyFacts[] {
  const rules = (error?.targets ?? []).flatMap(({ reasons }) => reasons.flatMap(({ topology }) => topology ?? []));
  return [...new Map(rules.map((facts) => [`${facts.rule} ${facts.key} ${facts.selector}`, facts])).values()];
}

function protection(pod: Pod, pdbs: PdbLimits, now: number): Pick<PodMove, 'protected'> {
  if (doNotDisrupt(pod, now).state === 'active') return { protected: 'do-not-disrupt' };
  const names = pdbs.firstBlocked([pod], now)?.budgets.map(({ metadata }) => metadata.name) ?? [];
  return names.length > 0 ? { protected: `PDB ${names.join(', ')}` } : {};
}

function printed(amounts: Resources): Record<string, string> {
  const names = Object.keys(amounts).sort();
  return Object.fromEntries(names.map((name) => [name, formatMilli(name, amounts[name] ?? 0)]));
}
