import { LABEL_CAPACITY_TYPE, TAINT_DISRUPTED } from '../apis/labels.ts';
import type { DisruptionReason, NodePool } from '../apis/node-pool.ts';
import { conditionIsTrue, findCondition } from '../kube/conditions.ts';
import type { Condition, Pod } from '../kube/objects.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { isTerminal } from '../kube/pods.ts';
import { formatMilli, parseQuantityMilli } from '../kube/quantity.ts';
import { formatTimestamp } from '../kube/timestamp.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import { addResources, toResources } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';
import { nodeLabels, nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { PoolAndTypes, StateNode, World } from '../scheduling/types.ts';
import { limitUsage } from './limit-usage.ts';
import { monthly } from './monthly.ts';
import { nodePrice } from './node-price.ts';
import type { PendingCause } from './pending-causes.ts';

const REASONS: readonly DisruptionReason[] = ['Underutilized', 'Empty', 'Drifted'];
/** Allowed disruptions beyond this mean that no budget is in force. */
const NO_LIMIT = 2 ** 31 - 1;

type Amounts = Readonly<Record<string, string>>;

export interface Price {
  readonly hourly: number;
  readonly monthly: number;
  readonly currency: 'USD';
  /** Nodes whose instance type or offering is not in the list of instance types. */
  readonly nodesWithoutPrice: number;
}

export interface NodeCounts {
  readonly total: number;
  readonly ready: number;
  readonly notReady: number;
  /** Claims whose node has not joined yet. */
  readonly launching: number;
  readonly deleting: number;
  readonly byCapacityType: Readonly<Record<string, number>>;
}

export interface PoolStatus {
  readonly name: string;
  readonly ready: string;
  /** Why it isn't ready, or launches nothing though it is. */
  readonly message?: string;
  readonly static: boolean;
  readonly weight: number;
  readonly nodes: NodeCounts;
  readonly requested: Amounts;
  readonly allocatable: Amounts;
  readonly limits: Readonly<Record<string, { readonly limit: string; readonly used: string }>>;
  readonly price: Price;
  /** Disruptions that the budgets allow now, by reason; null where no budget is in force. */
  readonly budgets: Readonly<Record<string, { readonly allowed: number | null; readonly disrupting: number }>>;
}

export interface InFlightDisruption {
  readonly nodeClaim?: string;
  readonly node?: string;
  readonly nodePool?: string;
  readonly reason: string;
  readonly state: 'Tainted' | 'Deleting';
  readonly since?: string;
}

export interface StatusReport {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'StatusReport';
  readonly time: string;
  readonly pools: readonly PoolStatus[];
  /** Nodes that no NodePool made. */
  readonly otherNodes: Pick<PoolStatus, 'nodes' | 'requested' | 'allocatable'>;
  readonly total: Pick<PoolStatus, 'nodes' | 'requested' | 'allocatable' | 'price'>;
  readonly pendingPods: readonly PendingCause[];
  readonly disruptions: readonly InFlightDisruption[];
}

export interface StatusInput {
  readonly world: World;
  /** What nodes without a pool of their own cost. */
  readonly instanceTypes: readonly InstanceType[];
  readonly pending: readonly PendingCause[];
  readonly budgets: (
    reason: DisruptionReason,
  ) => ReadonlyMap<string, { readonly allowed: number; readonly disrupting: number }>;
  /** Why a pool can buy nothing, whatever its conditions say; empty when it can. */
  readonly problems?: (pool: PoolAndTypes) => readonly string[];
  /** Pools to show; all nodes count in the total. */
  readonly selects: (pool: NodePool) => boolean;
}

/** The cluster on one screen: pools, nodes, prices, pending pods, disruptions. */
export function statusReport(input: StatusInput): StatusReport {
  const { world, pending } = input;
  const sum = summing(world);
  const managed = world.nodes.filter((node) => node.nodeClaim !== undefined);
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'StatusReport',
    time: formatTimestamp(world.now),
    pools: poolStatuses(input),
    otherNodes: sum(world.nodes.filter((node) => node.nodeClaim === undefined)),
    total: { ...sum(world.nodes), price: priceOf(managed, input) },
    pendingPods: pending,
    disruptions: disruptionsInFlight(world.nodes),
  };
}

/** The selected pools, by name. */
export function poolStatuses({
  world,
  instanceTypes,
  budgets,
  problems = () => [],
  selects,
}: Omit<StatusInput, 'pending'>): readonly PoolStatus[] {
  const sum = summing(world);
  const byPool = Map.groupBy(world.nodes, (node) => nodePoolName(node) ?? '');
  const headroom = REASONS.map((reason) => [reason, budgets(reason)] as const);
  return world.pools
    .filter(({ nodePool }) => selects(nodePool))
    .sort((a, b) => (a.nodePool.metadata.name < b.nodePool.metadata.name ? -1 : 1))
    .map((poolAndTypes) => {
      const pool = poolAndTypes.nodePool;
      const name = pool.metadata.name;
      const nodes = byPool.get(name) ?? [];
      const ready = findCondition(pool, 'Ready');
      return {
        name,
        ready: ready?.status ?? 'Unknown',
        ...messageOf(ready, () => problems(poolAndTypes)),
        static: pool.spec.replicas !== undefined,
        weight: pool.spec.weight ?? 0,
        ...sum(nodes),
        limits: limitsOf(pool, nodes),
        price: priceOf(nodes, { world, instanceTypes }),
        budgets: Object.fromEntries(
          headroom.flatMap(([reason, byName]) => {
            const own = byName.get(name);
            if (!own) return [];
            const allowed = own.allowed >= NO_LIMIT ? null : Math.max(0, own.allowed - own.disrupting);
            return [[reason, { allowed, disrupting: own.disrupting }]];
          }),
        ),
      };
    });
}

function messageOf(ready: Condition | undefined, problems: () => readonly string[]): Pick<PoolStatus, 'message'> {
  if (ready?.status !== 'True') return ready?.message ? { message: ready.message } : {};
  const [problem] = problems();
  return problem === undefined ? {} : { message: `it can buy nothing: ${problem}` };
}

/** Counts and amounts of any of the world's nodes. */
function summing(
  world: World,
): (nodes: readonly StateNode[]) => Pick<PoolStatus, 'nodes' | 'requested' | 'allocatable'> {
  const requests = requestsByNode(world.pods);
  return (nodes) => ({
    nodes: countNodes(nodes),
    requested: printed(nodes.map((node) => requests.get(node.node?.metadata.name ?? '') ?? {})),
    allocatable: printed(nodes.map((node) => toResources(node.node?.status?.allocatable))),
  });
}

function requestsByNode(pods: readonly Pod[]): ReadonlyMap<string, Resources> {
  const result = new Map<string, Resources>();
  for (const pod of pods) {
    const node = pod.spec.nodeName;
    if (!node || isTerminal(pod)) continue;
    result.set(node, addResources(result.get(node) ?? {}, { ...podRequests(pod), pods: 1000 }));
  }
  return result;
}

function printed(amounts: readonly Resources[]): Amounts {
  const total = amounts.reduce((a, b) => addResources(a, b), {});
  return Object.fromEntries(
    Object.entries(total)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, milli]) => [name, formatMilli(name, milli)]),
  );
}

function countNodes(nodes: readonly StateNode[]): NodeCounts {
  const joined = nodes.filter((node) => node.node !== undefined);
  const ready = joined.filter((node) => conditionIsTrue(node.node, 'Ready')).length;
  const byCapacityType: Record<string, number> = {};
  for (const node of nodes) {
    const type = nodeLabels(node)[LABEL_CAPACITY_TYPE];
    if (type) byCapacityType[type] = (byCapacityType[type] ?? 0) + 1;
  }
  return {
    total: nodes.length,
    ready,
    notReady: joined.length - ready,
    launching: nodes.length - joined.length,
    deleting: nodes.filter((node) => node.markedForDeletion).length,
    byCapacityType,
  };
}

function limitsOf(pool: NodePool, nodes: readonly StateNode[]): PoolStatus['limits'] {
  const used = limitUsage(nodes);
  return Object.fromEntries(
    Object.entries(pool.spec.limits ?? {}).map(([name, limit]) => [
      name,
      { limit: formatMilli(name, parseQuantityMilli(String(limit))), used: formatMilli(name, used[name] ?? 0) },
    ]),
  );
}

function priceOf(nodes: readonly StateNode[], input: Pick<StatusInput, 'world' | 'instanceTypes'>): Price {
  const byPool = new Map(input.world.pools.map((pool) => [pool.nodePool.metadata.name, pool.instanceTypes]));
  const typesOf = (node: StateNode) => byPool.get(nodePoolName(node) ?? '') ?? input.instanceTypes;
  const prices = nodes.map((node) => nodePrice(nodeLabels(node), typesOf(node)));
  const hourly = prices.reduce<number>((sum, price) => sum + (price ?? 0), 0);
  return {
    hourly,
    monthly: monthly(hourly),
    currency: 'USD',
    nodesWithoutPrice: prices.filter((price) => price === undefined).length,
  };
}

function disruptionsInFlight(nodes: readonly StateNode[]): InFlightDisruption[] {
  return nodes.flatMap((node) => {
    const deleting = node.nodeClaim?.metadata.deletionTimestamp ?? node.node?.metadata.deletionTimestamp;
    const taint = node.node?.spec.taints?.find(({ key }) => key === TAINT_DISRUPTED.key);
    if (!deleting && !taint) return [];
    const condition = findCondition(node.nodeClaim, 'DisruptionReason');
    const since = deleting ?? condition?.lastTransitionTime ?? taint?.timeAdded;
    const pool = nodePoolName(node);
    return [
      {
        ...(node.nodeClaim ? { nodeClaim: node.nodeClaim.metadata.name } : {}),
        ...(node.node ? { node: stateNodeName(node) } : {}),
        ...(pool ? { nodePool: pool } : {}),
        reason: condition?.reason ?? (deleting ? 'Deleted' : 'Unknown'),
        state: deleting ? 'Deleting' : 'Tainted',
        ...(since ? { since } : {}),
      } as const,
    ];
  });
}
