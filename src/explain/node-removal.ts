/** A node's removal, simulated pod by pod. */
import type { NodePool } from '../apis/node-pool.ts';
import type { Pod } from '../kube/objects.ts';
import { isTerminal } from '../kube/pods.ts';
import { PdbLimits } from '../scheduling/pdb-limits.ts';
import { doNotDisrupt, isReschedulable } from '../scheduling/pod-lifecycle.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { PodError, Results, StateNode, TopologyFacts, World } from '../scheduling/types.ts';
import { plannedClaimReport, podName } from './plan-report.ts';
import { softRules, withoutSoftRules } from './soft-rules.ts';
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
  /** Why it does not go to a node that is there, the commonest reason first. */
  readonly noRoom?: readonly NoRoom[];
  /** Rules about other pods that keep it from a place, each with its counts. */
  readonly topology?: readonly TopologyFacts[];
}

/** One reason for which nodes that are there refuse a pod; `message` is that of the first. */
export interface NoRoom {
  readonly code: string;
  readonly message: string;
  readonly nodes: number;
}

export interface NodeRemoval {
  readonly pods: readonly PodMove[];
  /** Per hour, of the nodes that would be launched for the pods. */
  readonly newNodesPrice: number;
  /** What would be launched did the pods not prefer what they prefer; only where that is less. */
  readonly withoutPreferences?: {
    readonly rules: readonly string[];
    readonly newNodes: number;
    readonly newNodesPrice: number;
  };
}

export interface RemovalQuestion {
  readonly node: StateNode;
  readonly world: World;
  readonly solve: Solve;
  readonly wellKnown: ReadonlySet<string>;
}

export function nodeRemoval({ node, world, solve, wellKnown }: RemovalQuestion): NodeRemoval {
  const name = stateNodeName(node);
  const here = world.pods.filter((pod) => pod.spec.nodeName === name && !isTerminal(pod));
  const moving = here.filter(isReschedulable);
  const without: World = { ...world, nodes: world.nodes.filter((other) => other !== node) };
  const results = solve(without, moving, true);
  const launched = results.newNodeClaims.map((claim) => plannedClaimReport(claim, wellKnown));
  const refusals = placedAll(results, moving) ? undefined : solve(withoutGrowth(without), moving, true).podErrors;
  const pdbs = new PdbLimits(world.podDisruptionBudgets);
  const moves = here.map((pod): PodMove => {
    const base = { pod: podName(pod), ...protection(pod, pdbs, world.now) };
    if (!moving.includes(pod)) return { ...base, to: 'staysBehind', detail: 'goes with the node' };
    const existing = results.existingNodes.find(({ pods }) => pods.includes(pod));
    if (existing) return { ...base, to: 'node', detail: stateNodeName(existing.node) };
    const noRoom = reasonsOfNodes(refusals?.get(pod));
    const refused = { ...base, ...(noRoom.length > 0 ? { noRoom } : {}) };
    const claim = launched[results.newNodeClaims.findIndex(({ pods }) => pods.includes(pod))];
    if (claim) return { ...refused, to: 'newNode', detail: `${claim.instanceTypes[0]} of NodePool ${claim.nodePool}` };
    const error = results.podErrors.get(pod);
    const nearest = error?.targets?.[0]?.reasons[0];
    const topology = topologyRules(error);
    return {
      ...refused,
      to: 'nowhere',
      detail: nearest?.message ?? error?.message ?? 'not reached',
      ...(topology.length > 0 ? { topology } : {}),
    };
  });
  const newNodesPrice = launched.reduce((sum, claim) => sum + claim.cheapestPrice, 0);
  const relaxed = launched.length > 0 ? withoutPreferences(moving, (pods) => solve(without, pods, false)) : undefined;
  if (!relaxed || relaxed.results.podErrors.size > results.podErrors.size) return { pods: moves, newNodesPrice };
  const fewer = relaxed.results.newNodeClaims.map((claim) => plannedClaimReport(claim, wellKnown));
  const price = fewer.reduce((sum, claim) => sum + claim.cheapestPrice, 0);
  if (fewer.length >= launched.length && price >= newNodesPrice) return { pods: moves, newNodesPrice };
  const { rules } = relaxed;
  return {
    pods: moves,
    newNodesPrice,
    withoutPreferences: { rules, newNodes: fewer.length, newNodesPrice: price },
  };
}

function withoutPreferences(
  moving: readonly Pod[],
  solve: (pods: readonly Pod[]) => Results,
): { readonly rules: readonly string[]; readonly results: Results } | undefined {
  const rules = [...new Set(moving.flatMap((pod) => softRules(pod.spec)))];
  if (rules.length === 0) return undefined;
  return { rules, results: solve(moving.map((pod) => ({ ...pod, spec: withoutSoftRules(pod.spec) }))) };
}

function placedAll({ existingNodes }: Results, pods: readonly Pod[]): boolean {
  return existingNodes.reduce((sum, placement) => sum + placement.pods.length, 0) >= pods.length;
}

/** The same world, in which only the nodes that are there count. */
function withoutGrowth(world: World): World {
  const full = (nodePool: NodePool): NodePool => ({ ...nodePool, spec: { ...nodePool.spec, limits: { nodes: '0' } } });
  return { ...world, pools: world.pools.map((pool) => ({ ...pool, nodePool: full(pool.nodePool) })) };
}

function reasonsOfNodes(error: PodError | undefined): readonly NoRoom[] {
  const reasons = (error?.targets ?? []).flatMap((target) =>
    target.kind === 'NodePool' ? [] : target.reasons.slice(0, 1),
  );
  return [...Map.groupBy(reasons, ({ code }) => code)]
    .map(([code, group]) => ({ code, message: group[0]?.message ?? '', nodes: group.length }))
    .sort((a, b) => b.nodes - a.nodes);
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
