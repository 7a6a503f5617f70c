/** The world as a command leaves it, so that one can ask what goes next. */
import type { Pod } from '../kube/objects.ts';
import { isVirtualPod } from '../scheduling/buffers/virtual-pods.ts';
import { isReschedulable } from '../scheduling/pod-lifecycle.ts';
import { nodeLabels, stateNodeName } from '../scheduling/state-node.ts';
import type { PlannedNodeClaim, StateNode, World } from '../scheduling/types.ts';
import { cheapestLaunch, launchedNode } from './launch.ts';
import { adjustReservations } from './reservation-count.ts';
import type { Command } from './types.ts';

/**
 * The world once the command is carried out and has settled: the candidates are gone, their replacements are initialized
 * nodes of the cheapest type and offering that the command allows (called `POOL-planned-1` and so on), and the pods are where
 * the simulation put them, with consolidateAfter behind them. Pods that it put nowhere wait for a node. Nodes that were on
 * their way out before stay so, with their pods, since nobody knows when they go; what moves on from them finds its place
 * again in the next simulation. `now` stays, so that the same budgets are open.
 */
export function applyCommand(world: World, command: Command): World {
  const gone = new Set(command.candidates.map(stateNodeName));
  const staying = world.nodes.filter((node) => !gone.has(stateNodeName(node)));
  const launched = launchAll(command.replacements, world);
  const homes = new Map<string, string>();
  for (const [node, pods] of command.placements) for (const pod of pods) homes.set(pod, node);
  for (const { node, claim } of launched) for (const pod of claim.pods) homes.set(podKey(pod), stateNodeName(node));
  const removed = new Set(command.candidates.flatMap(({ node }) => (node ? [node.metadata.name] : [])));
  const now = new Date(world.now).toISOString();
  return {
    ...world,
    pools: adjustReservations(world.pools, [
      ...command.candidates.map((node) => ({ labels: nodeLabels(node), by: 1 })),
      ...launched.map(({ node }) => ({ labels: nodeLabels(node), by: -1 })),
    ]),
    nodes: [...staying, ...launched.map(({ node }) => node)],
    pods: world.pods.flatMap((pod) => moved(pod, removed, homes, now)),
  };
}

interface Launched {
  readonly claim: PlannedNodeClaim;
  readonly node: StateNode;
}

/** A claim for which nothing is on sale makes no node. */
function launchAll(claims: readonly PlannedNodeClaim[], world: World): Launched[] {
  const taken = new Set(world.nodes.map(stateNodeName));
  return claims.flatMap((claim) => {
    const pool = claim.nodePool.metadata.name;
    const sold = world.pools.find(({ nodePool }) => nodePool.metadata.name === pool)?.instanceTypes ?? [];
    const launch = cheapestLaunch(claim, sold);
    if (!launch) return [];
    let number = 1;
    while (taken.has(`${pool}-planned-${number}`)) number++;
    const name = `${pool}-planned-${number}`;
    taken.add(name);
    return [{ claim, node: launchedNode(claim, launch, name) }];
  });
}

function podKey(pod: Pod): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
}

/** The pod afterwards, or nothing where it goes with its node. Room of buffers goes on waiting: it is only ever reckoned. */
function moved(
  pod: Pod,
  removed: ReadonlySet<string>,
  homes: ReadonlyMap<string, string>,
  now: string,
): readonly Pod[] {
  const from = pod.spec.nodeName;
  if (from ? !removed.has(from) : isVirtualPod(pod)) return [pod];
  if (from && !isReschedulable(pod)) return [];
  const home = homes.get(podKey(pod));
  if (home !== undefined) return [running(pod, home, now)];
  return from ? [waiting(pod)] : [pod];
}

function running(pod: Pod, nodeName: string, startTime: string): Pod {
  const { deletionTimestamp: _, ...metadata } = pod.metadata;
  const conditions = [
    { type: 'PodScheduled', status: 'True' },
    { type: 'Ready', status: 'True' },
  ] as const;
  return {
    ...pod,
    metadata,
    spec: { ...pod.spec, nodeName },
    status: { phase: 'Running', startTime, conditions },
  };
}

function waiting(pod: Pod): Pod {
  const { deletionTimestamp: _, ...metadata } = pod.metadata;
  const { nodeName: __, ...spec } = pod.spec;
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] as const;
  return { ...pod, metadata, spec, status: { phase: 'Pending', conditions } };
}
