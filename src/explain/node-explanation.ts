import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_ZONE } from '../apis/labels.ts';
import type { Blocker, Command } from '../disruption/types.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { isTerminal } from '../kube/pods.ts';
import { formatMilli } from '../kube/quantity.ts';
import { addResources, toResources } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';
import { nodeLabels, nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { PoolAndTypes, StateNode, World } from '../scheduling/types.ts';
import { commandContext, commandReport, type DisruptionCommandReport } from './command-report.ts';
import { type BlockerReport, blockerReport } from './disruption-report.ts';
import { nodePrice } from './node-price.ts';
import { type NodeRemoval, nodeRemoval } from './node-removal.ts';
import type { Solve } from './solve.ts';

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
  readonly removal: NodeRemoval;
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
    removal: nodeRemoval({ node, world, solve, wellKnown }),
  };
}

function poolOf(node: StateNode, world: World): PoolAndTypes | undefined {
  const name = nodePoolName(node);
  return world.pools.find(({ nodePool }) => nodePool.metadata.name === name);
}

function printed(amounts: Resources): Record<string, string> {
  const names = Object.keys(amounts).sort();
  return Object.fromEntries(names.map((name) => [name, formatMilli(name, amounts[name] ?? 0)]));
}
