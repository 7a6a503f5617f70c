import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_ZONE } from '../apis/labels.ts';
import { withoutOtherMethods } from '../disruption/index.ts';
import { findCondition } from '../kube/conditions.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { isTerminal } from '../kube/pods.ts';
import { formatMilli } from '../kube/quantity.ts';
import { addResources, toResources } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';
import { nodeLabels, nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { PoolAndTypes, StateNode, World } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { BlockedNodes, type CouldSave } from './blocked-nodes.ts';
import { commandContext, type DisruptionCommandReport } from './command-report.ts';
import { disruptionOf } from './disruption.ts';
import type { BlockerReport } from './disruption-report.ts';
import { type Leaving, leavingOf } from './leaving.ts';
import { type MethodVerdict, methodVerdicts } from './method-verdicts.ts';
import { nodePrice } from './node-price.ts';
import { type NodeRemoval, nodeRemoval } from './node-removal.ts';

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
  /** Why the node is not Ready, in its condition's words; null of one that is, or has not joined. */
  readonly notReady: string | null;
  /** Of a node that goes, and what that waits for; null of one that stays. */
  readonly leaving: Leaving | null;
  /** What would be done with this node now, had it the turn: by the first method that has a use for it. */
  readonly command: DisruptionCommandReport | null;
  /** What each method makes of it, in the order in which they are tried. */
  readonly methods: readonly MethodVerdict[];
  /** What keeps it, each thing once; empty when there is a command. */
  readonly blockers: readonly BlockerReport[];
  /** What it would save if nothing but room and price had a say; null when it is not one of Karpenter's. */
  readonly couldSave: CouldSave | null;
  readonly removal: NodeRemoval & {
    /** Per hour, less the new nodes; null without a price. Negative when the removal costs more than it saves. */
    readonly savings: number | null;
  };
}

export interface NodeQuestion {
  readonly node: StateNode;
  readonly analysis: Analysis;
}

/** Said of a node by the methods that are not meant for it: no reason to stay. */
const NOT_MEANT: ReadonlySet<string> = new Set(['NotDrifted', 'StaticNodePool']);

/** Whether anything would disrupt the node, what keeps it, and where its pods would go. */
export function explainNode({ node, analysis }: NodeQuestion): NodeExplanation {
  const { world, wellKnown } = analysis;
  const labels = nodeLabels(node);
  const name = stateNodeName(node);
  const types = poolOf(node, world)?.instanceTypes ?? [];
  const requested = world.pods
    .filter((pod) => pod.spec.nodeName === name && !isTerminal(pod))
    .map((pod): Resources => ({ ...podRequests(pod), pods: 1000 }))
    .reduce((a, b) => addResources(a, b), {} as Resources);
  const words = new BlockedNodes(analysis);
  const methods = methodVerdicts(
    name,
    nodePoolName(node) ?? '',
    disruptionOf(analysis),
    words,
    commandContext(world, wellKnown),
  );
  const command = methods.find((verdict) => verdict.command)?.command ?? null;
  const blockers = command ? [] : distinct(methods.flatMap((verdict) => verdict.blockers));
  const price = nodePrice(labels, types) ?? null;
  const removal = nodeRemoval({ node, world, solve: analysis.solve, wellKnown });
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'NodeExplanation',
    node: name,
    nodePool: nodePoolName(node) ?? null,
    instanceType: labels[LABEL_INSTANCE_TYPE] ?? null,
    zone: labels[LABEL_ZONE] ?? null,
    capacityType: labels[LABEL_CAPACITY_TYPE] ?? null,
    price,
    requested: printed(requested),
    allocatable: printed(toResources(node.node?.status?.allocatable)),
    notReady: notReadyOf(node),
    leaving: leavingOf(node, world) ?? null,
    command,
    methods,
    blockers,
    couldSave: node.nodeClaim && !command ? words.couldSave(name, blockers) : null,
    removal: { ...removal, savings: price === null ? null : price - removal.newNodesPrice },
  };
}

/** Without what only says that a method is not meant for the node, unless there is nothing else to say. */
function distinct(blockers: readonly BlockerReport[]): readonly BlockerReport[] {
  // Budgets that differ by reason are in the same words, but for why.
  const keyed = blockers.map((blocker) => [`${blocker.code} ${blocker.message} ${blocker.why}`, blocker] as const);
  const unique = [...new Map(keyed).values()];
  const telling = withoutOtherMethods(unique).filter(({ code }) => !NOT_MEANT.has(code));
  return telling.length > 0 ? telling : unique;
}

function notReadyOf({ node }: StateNode): string | null {
  if (!node) return null;
  const { status = 'missing', reason, message } = findCondition(node, 'Ready') ?? {};
  if (status === 'True') return null;
  return [`Ready is ${status}`, reason, message].filter(Boolean).join(': ');
}

function poolOf(node: StateNode, world: World): PoolAndTypes | undefined {
  const name = nodePoolName(node);
  return world.pools.find(({ nodePool }) => nodePool.metadata.name === name);
}

function printed(amounts: Resources): Record<string, string> {
  const names = Object.keys(amounts).sort();
  return Object.fromEntries(names.map((name) => [name, formatMilli(name, amounts[name] ?? 0)]));
}
