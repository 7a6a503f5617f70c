/**
 * The packer as one would describe it (karpenter-core.md 3 and 4): every pod is tried on every node and every claim, in
 * order, and every instance type is looked at each time. It remembers nothing, is slow, and takes its time whatever
 * deadline it is given; it is there to be read, and to have a second opinion on what src/scheduling decides, with whose
 * decisions it shares no code.
 */
import { parseNillableDuration } from '../../src/apis/duration.ts';
import { WELL_KNOWN_LABELS } from '../../src/apis/labels.ts';
import type { Pod } from '../../src/kube/objects.ts';
import { goSort } from '../../src/scheduling/go-sort.ts';
import type { Packer, PodError, Results, ScheduleOptions, World } from '../../src/scheduling/index.ts';
import { daemonsOf } from './daemons.ts';
import { ExistingNode } from './existing-node.ts';
import type { Type } from './instance-types.ts';
import { attachLimits } from './learned.ts';
import { Limits } from './limits.ts';
import { type ClaimRules, canBeSpot, NewClaim } from './new-claim.ts';
import { nameOf } from './node-state.ts';
import { isRefused, leaving, waits } from './pending.ts';
import { usesResourceClaims } from './pod-needs.ts';
import { growingPools, isUsable, type Pool, type Template, templateOf } from './pool.ts';
import { Queue } from './queue.ts';
import { relaxed } from './relaxation.ts';
import { allWishes, strictWishes } from './requirements.ts';
import { Reservations } from './reservations.ts';
import { Topology } from './topology.ts';
import { Volumes } from './volumes.ts';

type Failure = 'unplaced' | 'reserved' | 'resource claims';

export const plainSolve: Packer = (world, pods, options) => {
  if (pods !== 'provisionable') return pack(world, pods, options);
  const waiting = world.pods.filter(waits);
  const mayLack = new Set([...WELL_KNOWN_LABELS, ...options.wellKnownLabels]);
  const refused = waiting.filter((pod) => isRefused(pod, new Volumes(world), mayLack, options));
  const rejected = new Map(refused.map((pod) => [pod, failed('RestrictedLabel')]));
  const batch = [...waiting.filter((pod) => !rejected.has(pod)), ...leaving(world)];
  return { ...pack(world, batch, options), rejected };
};

function pack(world: World, pods: readonly Pod[], options: ScheduleOptions): Results {
  if (world.pools.some(({ nodePool }) => isUsable(nodePool))) return cheaper(world, pods, options);
  const podErrors = new Map(pods.map((pod) => [pod, failed('NoNodePools')]));
  return { newNodeClaims: [], existingNodes: [], podErrors, timedOut: false, notReached: [] };
}

/** Where filling a claim has cost it its spot offerings, what keeps them is taken if it costs less. */
function cheaper(world: World, pods: readonly Pod[], options: ScheduleOptions): Results {
  const first = new Packing(world, pods, options, false);
  const results = first.results();
  if (!first.hasLostSpot()) return results;
  const second = new Packing(world, pods, options, true);
  const other = second.results();
  return other.podErrors.size <= results.podErrors.size && second.price() < first.price() ? other : results;
}

function failed(code: PodError['code']): PodError {
  return { code, message: '' };
}

class Packing {
  readonly #world: World;
  readonly #pods: readonly Pod[];
  readonly #options: ScheduleOptions;
  readonly #pools: readonly Pool[];
  readonly #templates: readonly Template[];
  readonly #nodes: readonly ExistingNode[];
  readonly #claims: NewClaim[] = [];
  readonly #limits: Limits;
  readonly #topology: Topology;
  readonly #rules: ClaimRules;
  readonly #toleratePreferences: boolean;

  constructor(world: World, pods: readonly Pod[], options: ScheduleOptions, keepSpot: boolean) {
    this.#world = world;
    this.#pods = pods;
    this.#options = options;
    const { reservationIDLabel = 'karpenter.sh/reservation-id', reservedCapacity, reservedOfferingMode } = options;
    const mayLack = new Set([...WELL_KNOWN_LABELS, ...options.wellKnownLabels]);
    const strictMinValues = options.minValuesPolicy === 'Strict';
    const volumes = new Volumes(world);
    const placesOfVolumes = (pod: Pod) => volumes.alternatives(pod);
    const daemons = daemonsOf(world, options.ignoreDRARequests);
    const pools = growingPools(world);
    const nodes = world.nodes.filter(({ markedForDeletion }) => !markedForDeletion);
    this.#templates = pools.flatMap((pool) => templateOf(pool, daemons, { mayLack, strictMinValues }) ?? []);
    this.#nodes = nodes.map((node) => new ExistingNode(node, world, daemons, volumes)).sort(byReadiness);
    this.#limits = new Limits(pools, nodes);
    this.#topology = new Topology({
      world,
      batch: pods,
      pools,
      templates: this.#templates,
      nodes,
      mayLack,
      respectPreferences: options.preferencePolicy === 'Respect',
      placesOfVolumes,
    });
    const limits = new Map(
      pools.flatMap(({ types }) =>
        types.map(({ type: { name } }) => [name, attachLimits(name, world, volumes)] as const),
      ),
    );
    this.#pools = pools;
    this.#rules = {
      keepSpot,
      attachedBy: (pod) => volumes.attached(pod),
      attachLimits: (type) => limits.get(type) ?? new Map(),
      topology: this.#topology,
      reservations: new Reservations(pools, reservationIDLabel),
      reservationIDLabel,
      reservedCapacity,
      strictReservations: reservedOfferingMode === 'Strict',
      mayLack,
      strictMinValues,
      placesOfVolumes,
    };
    const usable = world.pools.filter(({ nodePool }) => isUsable(nodePool));
    const taints = usable.flatMap(({ nodePool }) => nodePool.spec.template.spec.taints ?? []);
    this.#toleratePreferences = taints.some(({ effect }) => effect === 'PreferNoSchedule');
  }

  results(): Results {
    const failures = new Map<Pod, Failure>();
    const queue = new Queue(this.#pods);
    for (let pod = queue.pop(); pod; pod = queue.pop()) {
      const failure = this.#place(pod);
      if (failure) failures.set(pod, failure);
      else failures.delete(pod);
      if (failure) queue.push(pod);
    }
    const codes = { unplaced: 'NoInstanceType', reserved: 'ReservedOffering', 'resource claims': 'DRA' } as const;
    const podErrors = new Map([...failures].map(([pod, failure]) => [pod, failed(codes[failure])]));
    const newNodeClaims = this.#claims.flatMap((claim) => {
      const planned = claim.planned();
      if (!planned) for (const pod of claim.pods) podErrors.set(pod, failed('MinValues'));
      return planned ?? [];
    });
    const used = this.#nodes.filter((node) => node.pods.length > 0);
    const existingNodes = used.map(({ state, pods }) => ({ node: state, pods }));
    return { newNodeClaims, existingNodes, podErrors, timedOut: false, notReached: [] };
  }

  /** A claim may be spot, and only types that are not sold so are left, while its pool has others. */
  hasLostSpot(): boolean {
    return this.#claims.some(({ template, types, finalWishes }) => {
      const pool = this.#pools.find(({ nodePool }) => nodePool === template.nodePool);
      const spot = (some: readonly Type[]): boolean => canBeSpot(some, finalWishes, this.#rules.mayLack);
      return !spot(types) && spot(pool?.types ?? []);
    });
  }

  price(): number {
    return this.#claims.reduce((total, claim) => total + claim.price(), 0);
  }

  /** Gives up one preference after the other until there is a place. */
  #place(original: Pod): Failure | undefined {
    if (usesResourceClaims(original) && this.#options.ignoreDRARequests) return 'resource claims';
    let failure: Failure | undefined;
    for (let pod: Pod | undefined = original; pod; pod = relaxed(pod, this.#toleratePreferences)) {
      this.#topology.meet(pod);
      failure = this.#placeAs(pod, original);
      if (failure !== 'unplaced') break;
    }
    return failure;
  }

  #placeAs(pod: Pod, original: Pod): Failure | undefined {
    const wishes = this.#options.preferencePolicy === 'Respect' ? allWishes(pod) : strictWishes(pod);
    const restless = this.#options.enforceConsolidateAfter && !this.#mustMove(original);
    for (const node of this.#nodes) {
      if (restless && this.#isUnderConsolidateAfter(node)) continue;
      if (node.take(pod, wishes, this.#topology)) return undefined;
    }
    goSort(this.#claims, (a, b) => a.pods.length < b.pods.length);
    for (const claim of this.#claims) if (claim.take(pod, wishes, false) === 'taken') return undefined;
    for (const template of this.#templates) {
      const types = template.groups.flatMap((group) => group.types);
      const affordable = types.filter((type) => this.#limits.allows(template.name, type));
      const claim = new NewClaim(template, affordable, this.#claims.length + 1, this.#rules);
      const outcome = claim.take(pod, wishes, !this.#rules.strictMinValues);
      if (outcome === 'reserved') return 'reserved';
      if (outcome === 'refused') continue;
      this.#claims.push(claim);
      this.#limits.charge(template.name, claim.types);
      return undefined;
    }
    return 'unplaced';
  }

  #mustMove({ spec, status }: Pod): boolean {
    const going = this.#world.nodes.filter(({ markedForDeletion }) => markedForDeletion).map(nameOf);
    return status?.phase === 'Pending' || going.includes(spec.nodeName ?? '');
  }

  #isUnderConsolidateAfter({ state }: ExistingNode): boolean {
    const { nodeClaim } = state;
    const name = (state.node ?? nodeClaim)?.metadata.labels?.['karpenter.sh/nodepool'];
    const pool = this.#world.pools.find(({ nodePool }) => nodePool.metadata.name === name && isUsable(nodePool));
    const initialized = nodeClaim?.status?.conditions?.find(({ type }) => type === 'Initialized');
    if (!pool || initialized?.status !== 'True') return false;
    const wait = parseNillableDuration(pool.nodePool.spec.disruption?.consolidateAfter, '0s') ?? 0;
    const since = nodeClaim?.status?.lastPodEventTime ?? initialized.lastTransitionTime;
    return since !== undefined && this.#world.now - Date.parse(since) < wait;
  }
}

function byReadiness(a: ExistingNode, b: ExistingNode): number {
  return Number(b.isInitialized) - Number(a.isInitialized) || (a.name < b.name ? -1 : 1);
}
