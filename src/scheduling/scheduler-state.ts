import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { Node } from '../kube/objects.ts';
import { isTerminal } from '../kube/pods.ts';
import { Allocatables } from './allocatables.ts';
import { AttachLimits, NO_ATTACH_LIMITS } from './attach-limits.ts';
import { isUnderConsolidateAfter } from './consolidate-after.ts';
import type { Daemon } from './daemons.ts';
import { byReadiness, type ExistingNode, existingNode } from './existing-node.ts';
import { LaunchOrders } from './launch-order.ts';
import { learnedTypes } from './learned-types.ts';
import type { MentionedKeys } from './mentioned-keys.ts';
import { NodeCandidates } from './node-placements.ts';
import { byWeight, type NodePoolTemplate } from './node-pool-template.ts';
import { type EmptyPool, nodePoolTemplate, usablePool } from './node-pool-templates.ts';
import { nodeUsage } from './node-usage.ts';
import { PlacedPods } from './placed-pods.ts';
import { PodShapes } from './pod-shape.ts';
import { type RemainingByPool, remainingByPool } from './pool-limits.ts';
import { ReachableDomains } from './reachable-domains.ts';
import { RequirementSets } from './requirement-sets.ts';
import { type ReservationCapacity, reservationCapacity } from './reservations.ts';
import { ResourceNames } from './resource-names.ts';
import { Selections } from './selections.ts';
import { stateNodeName } from './state-node.ts';
import { type AntiAffinePod, TopologyBaseline } from './topology-baseline.ts';
import { type DomainSource, NamedDomains } from './topology-domains.ts';
import { inverseRules, type RuleContext } from './topology-rule.ts';
import type { PoolAndTypes, ScheduleOptions, StateNode, World } from './types.ts';
import type { Volumes } from './volumes.ts';

const DEFAULT_RESERVATION_LABEL = 'karpenter.sh/reservation-id';

/** Everything that is the same for all runs on one world. */
export interface SchedulerState {
  readonly world: World;
  readonly options: ScheduleOptions;
  readonly sets: RequirementSets;
  readonly names: ResourceNames;
  readonly volumes: Volumes;
  readonly attachLimits: AttachLimits;
  /** Pools that may grow, in the order in which they are tried. */
  readonly pools: readonly PoolAndTypes[];
  readonly templates: readonly NodePoolTemplate[];
  readonly emptyPools: readonly EmptyPool[];
  readonly domains: DomainSource;
  /** Nodes that are not being deleted. */
  readonly nodes: readonly ExistingNode[];
  readonly nodesByName: ReadonlyMap<string, ExistingNode>;
  readonly remaining: RemainingByPool;
  readonly reservationCapacity: ReservationCapacity;
  readonly reservationIDLabel: string;
  readonly orders: LaunchOrders;
  readonly deletingNodeNames: ReadonlySet<string>;
  readonly underConsolidateAfter: (node: ExistingNode) => boolean;
  /** What depends on which label keys are mentioned: built anew when a pod mentions a new one. */
  readonly shapes: PodShapes;
  readonly candidates: NodeCandidates;
  readonly placed: PlacedPods;
  readonly baseline: TopologyBaseline;
  readonly selections: Selections;
}

/** What a scheduler knows of its world before it is asked anything. */
interface StateParts {
  readonly world: World;
  readonly options: ScheduleOptions;
  /** Label keys that a new node may leave undefined. */
  readonly wellKnown: ReadonlySet<string>;
  readonly volumes: Volumes;
  readonly daemons: readonly Daemon[];
  /** Keys of labels that pods mention; those that volumes name are added. */
  readonly mentioned: MentionedKeys;
}

/** Works out what all runs share. */
export function schedulerState(parts: StateParts): SchedulerState {
  const { world, options, volumes, daemons, mentioned } = parts;
  const sets = new RequirementSets(parts.wellKnown);
  mentionStorage(world, mentioned);
  const { keepKnownFaults = false } = options;
  const pools = (keepKnownFaults ? world.pools : learnedTypes(world.pools, world.nodes))
    .filter(({ nodePool, instanceTypes }) => usablePool(nodePool) && instanceTypes.length > 0)
    .sort((a, b) => byWeight(a.nodePool, b.nodePool));
  const names = new ResourceNames();
  const attachLimits = keepKnownFaults ? NO_ATTACH_LIMITS : new AttachLimits(pools, world.nodes, volumes);
  const { reservationIDLabel = DEFAULT_RESERVATION_LABEL } = options;
  const templateContext = {
    sets,
    allocatables: new Allocatables(),
    daemons,
    relaxMinValues: options.minValuesPolicy === 'BestEffort',
    keepKnownFaults,
  };
  const outcomes = pools.map((pool) => nodePoolTemplate(pool, templateContext));
  const templates = outcomes.filter((outcome) => 'catalogue' in outcome);
  const nodes = existingNodes(parts, { sets, names, attachLimits });
  const ruleContext = { namespaces: world.namespaces, respectPreferences: options.preferencePolicy === 'Respect' };
  const nodeObjects = new Map(world.nodes.flatMap(({ node }) => (node ? [[node.metadata.name, node] as const] : [])));
  const unnoted = (world.unnotedNodes ?? []).map((node) => [node.metadata.name, node] as const);
  const hosts = unnoted.length > 0 ? new Map([...unnoted, ...nodeObjects]) : nodeObjects;
  const placed = new PlacedPods(world.pods, hosts, mentioned.selectors);
  return {
    world,
    options,
    sets,
    names,
    volumes,
    attachLimits,
    pools,
    templates,
    emptyPools: outcomes.filter((outcome) => 'minValues' in outcome),
    domains: keepKnownFaults ? new NamedDomains(pools) : new ReachableDomains(templates, pools, sets),
    nodes,
    nodesByName: new Map(nodes.map((node) => [node.name, node])),
    remaining: remainingByPool(
      pools,
      nodes.map((node) => node.state),
      world.stalledClaims,
    ),
    reservationCapacity: reservationCapacity(pools, reservationIDLabel),
    reservationIDLabel,
    orders: new LaunchOrders(sets.wellKnown),
    deletingNodeNames: new Set(world.nodes.filter((node) => node.markedForDeletion).map(stateNodeName)),
    underConsolidateAfter: consolidateAfter(world),
    shapes: new PodShapes({
      ...ruleContext,
      sets,
      names,
      volumes,
      mentioned,
      toleratePreferNoSchedule: world.pools.some(
        ({ nodePool }) =>
          usablePool(nodePool) && nodePool.spec.template.spec.taints?.some((t) => t.effect === 'PreferNoSchedule'),
      ),
    }),
    candidates: new NodeCandidates(nodes, sets, keepKnownFaults),
    placed,
    selections: new Selections(),
    baseline: new TopologyBaseline(
      placed,
      nodes.flatMap(({ state }) => state.node ?? []),
      antiAffinePods(world, nodeObjects, ruleContext),
    ),
  };
}

/** Bound pods that keep others away, with their rules. */
function antiAffinePods(
  world: World,
  nodeObjects: ReadonlyMap<string, Node>,
  context: RuleContext,
): readonly AntiAffinePod[] {
  return world.pods.flatMap((pod) => {
    if (!pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length) return [];
    const node = nodeObjects.get(pod.spec.nodeName ?? '');
    if (!node || isTerminal(pod)) return [];
    const source = { namespace: pod.metadata.namespace ?? '', labels: pod.metadata.labels ?? {}, spec: pod.spec };
    return [{ pod, node, rules: inverseRules(source, context) }];
  });
}

/** Labels that volumes and classes name. */
function mentionStorage(world: World, mentioned: MentionedKeys): void {
  for (const { allowedTopologies = [] } of world.storageClasses) {
    for (const { matchLabelExpressions = [] } of allowedTopologies) {
      for (const { key } of matchLabelExpressions) mentioned.addNodeKey(key);
    }
  }
  for (const { spec } of world.persistentVolumes) {
    for (const { matchExpressions = [] } of spec.nodeAffinity?.required?.nodeSelectorTerms ?? []) {
      for (const { key } of matchExpressions) mentioned.addNodeKey(key);
    }
  }
}

function existingNodes(
  { world, volumes, daemons, mentioned }: StateParts,
  { sets, names, attachLimits }: Pick<SchedulerState, 'sets' | 'names' | 'attachLimits'>,
): readonly ExistingNode[] {
  const context = {
    sets,
    names,
    mentioned: mentioned.nodes,
    daemons,
    usageOf: nodeUsage(world.pods, volumes),
    volumeLimitsOf: (state: StateNode) => attachLimits.ofNode(state, volumes),
  };
  const active = world.nodes.filter((node) => !node.markedForDeletion);
  const nodes = active.map((state, index) => existingNode(state, index, context)).sort(byReadiness);
  return nodes.map((node, index) => ({ ...node, index }));
}

/** Whether a node is still to be left alone after the last pod that came or went. */
function consolidateAfter(world: World): (node: ExistingNode) => boolean {
  const pools = new Map(
    world.pools.filter(({ nodePool }) => usablePool(nodePool)).map((p) => [p.nodePool.metadata.name, p.nodePool]),
  );
  const verdicts = new Map<StateNode, boolean>();
  return ({ state, labels }) => {
    let verdict = verdicts.get(state);
    if (verdict === undefined) {
      const pool = pools.get(labels[LABEL_NODEPOOL] ?? '');
      verdict = isUnderConsolidateAfter(pool, state, world.now);
      verdicts.set(state, verdict);
    }
    return verdict;
  };
}
