import { formatDuration } from '../../apis/format-duration.ts';
import type { ControllerSpec } from '../../kube/controller.ts';
import type { Pod } from '../../kube/objects.ts';
import { isVirtualPod } from '../../scheduling/buffers/virtual-pods.ts';
import { type PodError, type Results, type ScheduleOptions, solve } from '../../scheduling/index.ts';
import { isProvisionable } from '../../scheduling/pod-lifecycle.ts';
import { providerID } from '../../scheduling/state-node.ts';
import type { Listers } from '../../state/listers.ts';
import { poolsAndTypes } from '../../state/pools-and-types.ts';
import { worldOf } from '../../state/world.ts';
import type { BufferPassRecorder } from '../capacitybuffer/pass-recorder.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedPool } from '../managed.ts';
import { podList } from '../name-list.ts';
import type { Batcher } from './batcher.ts';
import { ConsolidationHints } from './consolidation-hints.ts';
import type { NodeClaimCreator } from './create-node-claims.ts';
import { failedScheduling, noCompatibleInstanceTypes, nominated, notReachedYet } from './events.ts';
import { noteDecisions } from './note-decisions.ts';
import { PassGauges } from './pass-gauges.ts';
import { UndecidedPods } from './undecided-pods.ts';

/** Given the start of a pass, says whether its time is up. */
export type PassDeadline = (start: number) => () => boolean;

type Deps = Pick<ControllerContext, 'cloud' | 'cluster' | 'clock' | 'recorder' | 'metrics' | 'log' | 'nodePools'> & {
  readonly listers: Listers;
  readonly batcher: Batcher;
  readonly creator: Pick<NodeClaimCreator, 'create'>;
  /** What capacity buffers learn of a pass, when there are any. */
  readonly buffers?: Pick<BufferPassRecorder, 'record'>;
  readonly options: ScheduleOptions;
  /** A minute after the start unless told. */
  readonly deadline?: PassDeadline;
  /** How long a node that pods were promised is safe from disruption, in milliseconds. */
  readonly nominationMs: number;
};

const DEADLINE_MS = 60_000;
const CONTROLLER = 'provisioner';
/** Triggers the batcher itself when the cluster is not ready for a pass, or a pass was too short. */
const RETRY = 'unsynced';
const CONTINUE = 'not reached';
/** Pods that a log line names. */
const PODS_SHOWN = 5;

/** Gives pods that wait somewhere to run (karpenter-core.md section 3). */
export class Provisioner implements ControllerSpec {
  readonly name = CONTROLLER;
  readonly watches = [];
  readonly initialKeys = ['all'];
  readonly #deps: Deps;
  readonly #undecided = new UndecidedPods();
  readonly #hints: ConsolidationHints;
  readonly #gauges: PassGauges;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#hints = new ConsolidationHints(deps);
    this.#gauges = new PassGauges(deps.metrics, CONTROLLER);
  }

  async reconcile(_key: string, signal: AbortSignal, stopping: AbortSignal) {
    const { batcher, buffers, clock, cluster, creator } = this.#deps;
    await batcher.wait(stopping);
    if (!cluster.synced) {
      batcher.trigger(RETRY);
      return { requeueAfter: 0 };
    }
    const start = clock.now();
    const results = await this.#schedule(signal);
    this.#record(results, clock.now() - start);
    noteDecisions(this.#deps, results);
    await buffers?.record(results, signal);
    // Before the claims are created: even if that fails, those that had no turn get theirs.
    if (results.notReached.length > 0) batcher.trigger(CONTINUE);
    await creator.create(results.newNodeClaims, { reason: 'provisioned', nominate: true }, signal);
    return { requeueAfter: 0 };
  }

  async #schedule(signal: AbortSignal): Promise<Results> {
    const { cluster, clock, cloud, listers, log, metrics, nodePools, options, recorder } = this.#deps;
    const managed = nodePools.list().filter((nodePool) => isManagedPool(cloud, nodePool));
    const begun = clock.now();
    const pools = await poolsAndTypes({ cloud, log }, managed, signal);
    const start = clock.now();
    const world = worldOf(cluster, listers, pools, start);
    if (options.preferencePolicy === 'Respect') this.#hints.note(world.pods.filter(isProvisionable));
    const { deadline = (from: number) => () => clock.now() - from > DEADLINE_MS } = this.#deps;
    const { passesMissed } = this.#undecided;
    const results = solve(world, 'provisionable', {
      ...options,
      expired: deadline(start),
      passesMissed,
      effectiveZones: true,
    });
    for (const { nodePool, minValues } of results.emptyPools ?? [])
      recorder.publish(noCompatibleInstanceTypes(nodePool, minValues));
    for (const { pod, place, of } of this.#undecided.record(results)) recorder.publish(notReachedYet(pod, place, of));
    if (results.timedOut)
      log.info('scheduling pass ran out of time', { 'pods-not-reached': results.notReached.length });
    // Once for the packing and once for all of the pass, as upstream counts them.
    for (const from of [start, begun])
      metrics.observe('scheduler_scheduling_duration_seconds', (clock.now() - from) / 1000, { controller: CONTROLLER });
    return results;
  }

  #record(results: Results, tookMs: number): void {
    const { newNodeClaims, existingNodes, podErrors, rejected } = results;
    const { cluster, clock, recorder, metrics, log, nominationMs } = this.#deps;
    let unschedulable = 0;
    let withoutPools: PodError | undefined;
    for (const [pod, error] of [...podErrors, ...(rejected ?? [])]) {
      // Waiting for a reservation to come free is no failure; the next pass tries again.
      if (error.code === 'ReservedOffering') continue;
      if (!rejected?.has(pod)) unschedulable++;
      // No event can be about a pod that the API has never heard of.
      if (isVirtualPod(pod)) continue;
      if (wantsNoNodeOfOurs(error)) {
        log.debug('ignoring pod', { Pod: named(pod), error: error.message });
        continue;
      }
      if (error.code === 'NoNodePools') withoutPools = error;
      else log.error('could not schedule pod', new Error(error.message), { Pod: named(pod) });
      recorder.publish(failedScheduling(pod, error.message));
    }
    // A state of the cluster, not of one pod.
    if (withoutPools) log.info(withoutPools.message);
    metrics.gauge('scheduler_unschedulable_pods_count', unschedulable, { controller: CONTROLLER });
    this.#gauges.record(results);
    metrics.gauge('scheduler_ignored_pods_count', rejected?.size ?? 0);
    for (const { node, pods: placed } of existingNodes) {
      const pods = placed.filter((pod) => !isVirtualPod(pod));
      if (pods.length === 0) continue;
      cluster.nominate(providerID(node) || (node.node?.metadata.name ?? ''), clock.now() + nominationMs);
      for (const pod of pods) recorder.publish(nominated(pod, node));
    }
    if (newNodeClaims.length === 0) return;
    const considered = [...newNodeClaims, ...existingNodes].flatMap(({ pods }) => pods);
    log.info('found provisionable pod(s)', {
      Pods: podList([...considered, ...podErrors.keys()], PODS_SHOWN),
      duration: formatDuration(tookMs),
    });
    const placed = newNodeClaims.reduce((sum, claim) => sum + claim.pods.length, 0);
    log.info('computed new nodeclaim(s) to fit pod(s)', { nodeclaims: newNodeClaims.length, pods: placed });
    const waiting = existingNodes.reduce((sum, { pods }) => sum + pods.length, 0);
    if (waiting > 0) {
      log.info('computed unready node(s) will fit pod(s)', { nodes: existingNodes.length, pods: waiting });
    }
  }
}

const named = ({ metadata: { name, namespace } }: Pod) => ({ name, namespace });

/** Pods that want no node of ours are told nothing (karpenter-core.md 3.4.2). */
const wantsNoNodeOfOurs = (error: PodError): boolean => error.optedOut === true;
