import type { Pod } from '../kube/objects.ts';
import { isVirtualPod } from './buffers/virtual-pods.ts';
import { effectiveZones } from './effective-zone.ts';
import type { ExistingNode } from './existing-node.ts';
import { NodePlacements } from './node-placements.ts';
import { OpenClaims } from './open-claims.ts';
import { PlannedClaims } from './planned-claims.ts';
import { podError, podTargets } from './pod-error.ts';
import { PodQueue, type QueuedPod } from './pod-queue.ts';
import type { PodShape } from './pod-shape.ts';
import { PoolLimits } from './pool-limits.ts';
import { Reservations } from './reservations.ts';
import type { SchedulerState } from './scheduler-state.ts';
import { Topology } from './topology.ts';
import type { PlannedNodeClaim, PodError, Results, ScheduleOptions, TargetFailure } from './types.ts';

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

/** How a pod failed: with which of its preferences left, and whether only for want of a reservation. */
export interface Failure {
  readonly shape: PodShape;
  readonly kind: 'unplaced' | 'reserved' | 'resource claims';
}

const UNEXPLAINED: PodError = { code: 'Unexplained', message: '' };

/** One solve: places pods one by one as upstream's Solve does (karpenter-core.md 4.4). */
export class SchedulingRun {
  readonly state: SchedulerState;
  readonly topology: Topology;
  readonly limits: PoolLimits;
  readonly claims: OpenClaims;
  readonly nodes: NodePlacements;
  readonly excluded: (node: ExistingNode) => boolean;
  readonly options: ScheduleOptions;
  readonly #input: SolveInput;
  readonly #reservations: Reservations;
  readonly #registered = new Set<PodShape>();
  /** Shapes that failed, and how many placements there had been by then. */
  readonly #failed = new Map<PodShape, { readonly placements: number; readonly failure: Failure }>();
  #placements = 0;
  #considered: readonly TargetFailure[] | undefined;

  constructor(state: SchedulerState, input: SolveInput) {
    this.state = state;
    this.#input = input;
    const options = { ...state.options, ...input.options };
    this.options = options;
    const gone = [...(input.excludedNodes ?? [])].flatMap((name) => state.nodesByName.get(name) ?? []);
    const excluded = new Set(gone);
    this.excluded = gone.length === 0 ? () => false : (node) => excluded.has(node);
    const { sets, templates } = state;
    const { onlyPool } = input;
    const { keepKnownFaults = false } = options;
    this.topology = new Topology({
      sets,
      domains: state.domains,
      placed: state.placed,
      baseline: state.baseline,
      selections: state.selections,
      excluded: gone.flatMap((node) => node.state.node ?? []),
      moving: input.pods.filter((pod) => pod.spec.nodeName),
      keepKnownFaults,
    });
    this.limits = new PoolLimits(
      state.remaining,
      gone.map((node) => node.state),
      keepKnownFaults,
    );
    this.#reservations = new Reservations(state.reservationCapacity, state.reservationIDLabel);
    this.claims = new OpenClaims({
      sets,
      templates: onlyPool === undefined ? templates : templates.filter(({ name }) => name === onlyPool),
      topology: this.topology,
      limits: this.limits,
      attachLimits: state.attachLimits,
      keepSpot: input.keepSpot ?? false,
      reservations: this.#reservations,
      reservedCapacity: options.reservedCapacity,
      strictReservations: options.reservedOfferingMode === 'Strict',
      relaxMinValues: options.minValuesPolicy === 'BestEffort',
      keepKnownFaults,
    });
    this.nodes = new NodePlacements({
      candidates: state.candidates,
      sets,
      topology: this.topology,
      excluded: this.excluded,
      protectedFrom: (node, pod) => options.enforceConsolidateAfter && this.#isProtected(node, pod),
      keepKnownFaults,
    });
  }

  /** Pods that have been given a place so far. */
  get placements(): number {
    return this.#placements;
  }

  solve(): Results {
    const items = this.#input.pods.map((pod) => ({ pod, shape: this.state.shapes.of(pod) }));
    for (const { shape } of items) this.#register(shape);
    if (!this.options.keepKnownFaults) this.topology.foreseeVolumes(new Set(items.map(({ shape }) => shape)));
    const zones = this.options.effectiveZones ? effectiveZones(items, this.topology) : undefined;
    const failures = new Map<Pod, Failure>();
    const queue = new PodQueue(items, this.options.passesMissed);
    const timedOut = this.#pack(queue, failures);
    const podErrors = new Map<Pod, PodError>();
    const errors = new Map<Failure, PodError>();
    const { reasons, reasonsFor } = this.options;
    for (const [pod, failure] of failures) {
      const blank = reasonsFor !== undefined && reasonsFor !== pod;
      podErrors.set(pod, blank ? UNEXPLAINED : this.#explain(failure, errors, reasons));
    }
    const newNodeClaims = this.#planned(podErrors);
    return {
      newNodeClaims,
      existingNodes: this.nodes.results,
      podErrors,
      emptyPools: this.state.emptyPools,
      ...(this.#considered ? { considered: this.#considered } : {}),
      ...(zones ? { effectiveZones: zones } : {}),
      timedOut,
      notReached: timedOut ? queue.untried : [],
    };
  }

  /** Of nodes that take part and of new claims. */
  hostnames(): string[] {
    const nodes = this.state.nodes.filter((node) => !this.excluded(node)).map(({ hostname }) => hostname);
    return [...nodes, ...this.claims.claims.map(({ hostname }) => hostname)];
  }

  /** Pods of one shape fail for one reason. */
  #explain(failure: Failure, known: Map<Failure, PodError>, reasons: boolean): PodError {
    let error = known.get(failure);
    if (!error) {
      error = podError(this, failure, reasons);
      known.set(failure, error);
    }
    return error;
  }

  #pack(queue: PodQueue, failures: Map<Pod, Failure>): boolean {
    const { expired } = this.options;
    for (let item = queue.pop(); item; item = queue.pop()) {
      const failure = this.#try(item);
      if (failure) {
        failures.set(item.pod, failure);
        queue.push(item);
      } else {
        failures.delete(item.pod);
        this.#placements++;
      }
      // Only now: a pass that always took too long before its first attempt would never get anywhere.
      if (queue.length > 0 && expired?.()) return true;
    }
    return false;
  }

  /** Gives up the pod's preferences one by one until there is a place for it. */
  #try({ pod, shape: wanted }: QueuedPod): Failure | undefined {
    const before = this.#failed.get(wanted);
    if (before?.placements === this.#placements && !this.#dependsOnPod(pod)) return before.failure;
    let failure: Failure | undefined;
    for (let shape: PodShape | undefined = wanted; shape; shape = this.state.shapes.relaxed(shape)) {
      if (shape !== wanted) this.#register(shape);
      const kind = this.#place(pod, shape);
      if (kind === undefined) return undefined;
      failure = { shape, kind };
      if (kind !== 'unplaced') break;
    }
    if (failure) this.#failed.set(wanted, { placements: this.#placements, failure });
    return failure;
  }

  #place(pod: Pod, shape: PodShape): Failure['kind'] | undefined {
    if (shape.usesResourceClaims) return 'resource claims';
    if (this.options.reasons && this.options.reasonsFor === pod) this.#considered = podTargets(this, shape);
    if (this.nodes.place(pod, shape) || this.claims.placeOnOpen(pod, shape)) return undefined;
    const outcome = this.claims.placeOnNew(pod, shape);
    if (outcome === 'placed') return undefined;
    return outcome === 'reserved' ? 'reserved' : 'unplaced';
  }

  #register(shape: PodShape): void {
    if (this.#registered.has(shape)) return;
    this.#registered.add(shape);
    this.topology.register(shape);
  }

  /** Where nodes may only be used by some pods, equal pods can fare differently. */
  #dependsOnPod(_pod: Pod): boolean {
    return this.options.enforceConsolidateAfter;
  }

  #isProtected(node: ExistingNode, pod: Pod): boolean {
    // Upstream has forgotten that the room of buffers waits for a node like any pending pod.
    const waits = pod.status?.phase === 'Pending' && !(this.options.keepKnownFaults && isVirtualPod(pod));
    if (waits || this.state.deletingNodeNames.has(pod.spec.nodeName ?? '')) return false;
    return this.state.underConsolidateAfter(node);
  }

  #planned(podErrors: Map<Pod, PodError>): PlannedNodeClaim[] {
    const planner = new PlannedClaims({
      sets: this.state.sets,
      reservations: this.#reservations,
      reservationIDLabel: this.state.reservationIDLabel,
      keepKnownFaults: this.options.keepKnownFaults ?? false,
      orders: this.state.orders,
      strictMinValues: this.options.minValuesPolicy === 'Strict',
    });
    const planned: PlannedNodeClaim[] = [];
    for (const claim of this.claims.claims) {
      const result = planner.plan(claim);
      if (typeof result !== 'string') {
        planned.push(result);
        continue;
      }
      const message = `pod didn’t schedule because NodePool couldn’t meet minValues requirements, ${result} (NodePool=${claim.template.name})`;
      for (const pod of claim.pods) podErrors.set(pod, { code: 'MinValues', message });
    }
    return planned;
  }
}
