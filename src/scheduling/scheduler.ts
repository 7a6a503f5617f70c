import { WELL_KNOWN_LABELS } from '../apis/labels.ts';
import type { Node, Pod } from '../kube/objects.ts';
import { isTerminal } from '../kube/pods.ts';
import { Allocatables } from './allocatables.ts';
import { AttachLimits, NO_ATTACH_LIMITS } from './attach-limits.ts';
import { isVirtualPod } from './buffers/virtual-pods.ts';
import { cheaperOf, hasLostSpot } from './cheaper-packing.ts';
import { isUnderConsolidateAfter } from './consolidate-after.ts';
import { type Daemon, daemonsOf } from './daemons.ts';
import { byReadiness, type ExistingNode, existingNode } from './existing-node.ts';
import { LaunchOrders } from './launch-order.ts';
import { learnedTypes } from './learned-types.ts';
import { MentionedKeys } from './mentioned-keys.ts';
import { NodeCandidates } from './node-placements.ts';
import { byWeight, type NodePoolTemplate } from './node-pool-template.ts';
import { type EmptyPool, nodePoolTemplate, usablePool } from './node-pool-templates.ts';
import { nodeUsage } from './node-usage.ts';
import { PdbLimits } from './pdb-limits.ts';
import { PlacedPods } from './placed-pods.ts';
import { isProvisionable } from './pod-lifecycle.ts';
import { PodShapes } from './pod-shape.ts';
import { podProblem } from './pod-validation.ts';
import { type RemainingByPool, remainingByPool } from './pool-limits.ts';
import { ReachableDomains } from './reachable-domains.ts';
import { RequirementSets } from './requirement-sets.ts';
import { type ReservationCapacity, reservationCapacity } from './reservations.ts';
import { ResourceNames } from './resource-names.ts';
import { SchedulingRun } from './scheduling-run.ts';
import { Selections } from './selections.ts';
import { stateNodeName } from './state-node.ts';
import { type AntiAffinePod, TopologyBaseline } from './topology-baseline.ts';
import { type DomainSource, NamedDomains } from './topology-domains.ts';
import { inverseRules, type RuleContext } from './topology-rule.ts';
import type { PodError, PoolAndTypes, Results, ScheduleOptions, StateNode, World } from './types.ts';
import { unusablePools } from './unusable-pools.ts';
import { Volumes } from './volumes.ts';

const DEFAULT_RESERVATION_LABEL = 'karpenter.sh/reservation-id';

/** One question to a scheduler: what if these pods needed a place, and these nodes were gone? */
export interface SolveInput {
  readonly pods: readonly Pod[];
  /** Names (`stateNodeName`) of nodes that don't take part: the candidates of a disruption. Deleting ones never do. */
  readonly excludedNodes?: ReadonlySet<string>;
  /** A new claim that can be spot takes no pod that would leave it on-demand types only. */
  readonly keepSpot?: boolean;
  /** Name of the only pool that may grow. */
  readonly onlyPool?: string;
  /** In place of what the scheduler was made with. */
  readonly options?: Partial<
    Pick<ScheduleOptions, 'reservedOfferingMode' | 'enforceConsolidateAfter' | 'expired' | 'reasons'>
  >;
}

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

/**
 * Upstream's scheduler on a frozen world. What runs share is prepared once: `solve` may be called any number of times, and
 * no run sees what another one decided.
 */
export class Scheduler {
  readonly #world: World;
  readonly #options: ScheduleOptions;
  readonly #mentioned = new MentionedKeys();
  readonly #known = new Set<Pod>();
  readonly #volumes: Volumes;
  readonly #wellKnown: ReadonlySet<string>;
  readonly #daemons: readonly Daemon[];
  readonly #nodeObjects: ReadonlyMap<string, Node>;
  #state: SchedulerState | undefined;
  #pdbs: PdbLimits | undefined;

  constructor(world: World, options: ScheduleOptions) {
    this.#world = world;
    this.#options = options;
    this.#wellKnown = new Set([...WELL_KNOWN_LABELS, ...options.wellKnownLabels]);
    this.#volumes = new Volumes(world);
    this.#daemons = daemonsOf(world, options.ignoreDRARequests, options.keepKnownFaults);
    this.#nodeObjects = new Map(world.nodes.flatMap(({ node }) => (node ? [[node.metadata.name, node] as const] : [])));
    this.#learn(world.pods);
  }

  /** Whether any pool may grow at all. */
  get hasPools(): boolean {
    return this.#world.pools.some(({ nodePool }) => usablePool(nodePool));
  }

  /** What is to be said to every pod when none may. */
  noPools(): PodError {
    const error: PodError = { code: 'NoNodePools', message: 'no dynamic nodepools found' };
    return this.#options.reasons ? { ...error, targets: unusablePools(this.#world.pools) } : error;
  }

  /** Pods that wait for a node and may be tried, and those that were refused (karpenter-core.md 3.4). */
  pendingPods(): { readonly pods: readonly Pod[]; readonly rejected: ReadonlyMap<Pod, PodError> } {
    const { restrictedLabelDomains = new Set(), wellKnownLabels, keepKnownFaults } = this.#options;
    const rules = { restrictedLabelDomains, wellKnownLabels };
    const pods: Pod[] = [];
    const rejected = new Map<Pod, PodError>();
    for (const pod of this.#world.pods) {
      if (!isProvisionable(pod)) continue;
      const problem = keepKnownFaults && isVirtualPod(pod) ? undefined : podProblem(pod, this.#volumes, rules);
      if (problem) rejected.set(pod, problem);
      else pods.push(pod);
    }
    return { pods, rejected };
  }

  /** Pods on nodes that are going away, as far as they can move (karpenter-core.md 3.3.3). */
  deletingNodePods(): readonly Pod[] {
    const deleting = new Set(
      this.#world.nodes.flatMap(({ node, markedForDeletion }) =>
        node && markedForDeletion ? [node.metadata.name] : [],
      ),
    );
    if (deleting.size === 0) return [];
    return this.reschedulablePods((name) => deleting.has(name));
  }

  /** Pods on nodes of these names, as far as they can move now. */
  reschedulablePods(onNode: (nodeName: string) => boolean): readonly Pod[] {
    this.#pdbs ??= new PdbLimits(this.#world.podDisruptionBudgets);
    const pdbs = this.#pdbs;
    return this.#world.pods.filter(
      (pod) => pod.spec.nodeName && onNode(pod.spec.nodeName) && pdbs.isCurrentlyReschedulable(pod, this.#world.now),
    );
  }

  /** The pods are not changed; results name the very objects. */
  solve(input: SolveInput): Results {
    if (this.#learn(input.pods)) this.#state = undefined;
    this.#state ??= this.#prepare();
    return new SchedulingRun(this.#state, input).solve();
  }

  /**
   * As `solve`; where filling a claim has cost it its spot offerings, packs once more so that claims keep them, and takes
   * what costs less. Upstream always takes the first.
   */
  solveForLaunch(input: SolveInput): Results {
    const results = this.solve(input);
    if (this.#options.keepKnownFaults || !hasLostSpot(results, this.#world, this.#wellKnown)) return results;
    return cheaperOf(results, this.solve({ ...input, keepSpot: true }), this.#wellKnown);
  }

  /** Notes the label keys that pods mention; true when there are new ones. */
  #learn(pods: readonly Pod[]): boolean {
    let isNew = false;
    for (const pod of pods) {
      if (this.#known.has(pod)) continue;
      this.#known.add(pod);
      if (this.#mentioned.add(pod.spec)) isNew = true;
    }
    return isNew;
  }

  #prepare(): SchedulerState {
    const world = this.#world;
    const options = this.#options;
    const sets = new RequirementSets(this.#wellKnown);
    const volumes = this.#volumes;
    this.#mentionStorage();
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
      daemons: this.#daemons,
      relaxMinValues: options.minValuesPolicy === 'BestEffort',
      keepKnownFaults,
    };
    const outcomes = pools.map((pool) => nodePoolTemplate(pool, templateContext));
    const templates = outcomes.filter((outcome) => 'catalogue' in outcome);
    const nodes = this.#existingNodes(sets, names, attachLimits);
    const ruleContext = { namespaces: world.namespaces, respectPreferences: options.preferencePolicy === 'Respect' };
    const unnoted = (world.unnotedNodes ?? []).map((node) => [node.metadata.name, node] as const);
    const hosts = unnoted.length > 0 ? new Map([...unnoted, ...this.#nodeObjects]) : this.#nodeObjects;
    const placed = new PlacedPods(world.pods, hosts, this.#mentioned.selectors);
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
      ),
      reservationCapacity: reservationCapacity(pools, reservationIDLabel),
      reservationIDLabel,
      orders: new LaunchOrders(sets.wellKnown),
      deletingNodeNames: new Set(world.nodes.filter((node) => node.markedForDeletion).map(stateNodeName)),
      underConsolidateAfter: this.#consolidateAfter(),
      shapes: new PodShapes({
        ...ruleContext,
        sets,
        names,
        volumes,
        mentioned: this.#mentioned,
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
        this.#antiAffinePods(ruleContext),
      ),
    };
  }

  #antiAffinePods(context: RuleContext): readonly AntiAffinePod[] {
    return this.#world.pods.flatMap((pod) => {
      if (!pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length) return [];
      const node = this.#nodeObjects.get(pod.spec.nodeName ?? '');
      if (!node || isTerminal(pod)) return [];
      const source = { namespace: pod.metadata.namespace ?? '', labels: pod.metadata.labels ?? {}, spec: pod.spec };
      return [{ pod, node, rules: inverseRules(source, context) }];
    });
  }

  #mentionStorage(): void {
    for (const { allowedTopologies = [] } of this.#world.storageClasses) {
      for (const { matchLabelExpressions = [] } of allowedTopologies) {
        for (const { key } of matchLabelExpressions) this.#mentioned.addNodeKey(key);
      }
    }
    for (const { spec } of this.#world.persistentVolumes) {
      for (const { matchExpressions = [] } of spec.nodeAffinity?.required?.nodeSelectorTerms ?? []) {
        for (const { key } of matchExpressions) this.#mentioned.addNodeKey(key);
      }
    }
  }

  #existingNodes(sets: RequirementSets, names: ResourceNames, attachLimits: AttachLimits): readonly ExistingNode[] {
    const context = {
      sets,
      names,
      mentioned: this.#mentioned.nodes,
      daemons: this.#daemons,
      usageOf: nodeUsage(this.#world.pods, this.#volumes),
      volumeLimitsOf: (state: StateNode) => attachLimits.ofNode(state, this.#volumes),
    };
    const active = this.#world.nodes.filter((node) => !node.markedForDeletion);
    const nodes = active.map((state, index) => existingNode(state, index, context)).sort(byReadiness);
    return nodes.map((node, index) => ({ ...node, index }));
  }

  #consolidateAfter(): (node: ExistingNode) => boolean {
    const pools = new Map(
      this.#world.pools
        .filter(({ nodePool }) => usablePool(nodePool))
        .map((p) => [p.nodePool.metadata.name, p.nodePool]),
    );
    const verdicts = new Map<StateNode, boolean>();
    return ({ state, labels }) => {
      let verdict = verdicts.get(state);
      if (verdict === undefined) {
        const pool = pools.get(labels['karpenter.sh/nodepool'] ?? '');
        verdict = isUnderConsolidateAfter(pool, state, this.#world.now);
        verdicts.set(state, verdict);
      }
      return verdict;
    };
  }
}
