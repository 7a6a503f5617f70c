import type { Resource } from '../../kube/client.ts';
import type { Clock, Random } from '../../kube/clock.ts';
import type { Informers } from '../../kube/informers.ts';
import type { Pod } from '../../kube/objects.ts';
import {
  CSINodes,
  Namespaces,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  PodDisruptionBudgets,
  Pods,
  ReplicaSets,
  ReplicationControllers,
  Services,
  StatefulSets,
  StorageClasses,
  VolumeAttachments,
} from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import type { Recorder } from '../recorder.ts';
import { ClusterCache } from './cluster-cache.ts';
import { watchCluster } from './cluster-watch.ts';
import { defaultConstraints } from './default-constraints.ts';
import type { Filter, PluginName } from './filter.ts';
import { type Diagnosis, findNodes, prepareFilters } from './find-nodes.ts';
import { fitMessage, truncatedNote } from './fit-message.ts';
import { interPodAffinity } from './inter-pod-affinity.ts';
import { LabelShapes } from './label-shapes.ts';
import {
  nodeAffinity,
  nodeName,
  nodePorts,
  nodeResourcesFit,
  nodeUnschedulable,
  taintToleration,
} from './node-filters.ts';
import type { NodeInfo } from './node-info.ts';
import { Nominations } from './nominations.ts';
import type { PodInfo } from './pod-info.ts';
import { PodWriter } from './pod-writer.ts';
import { findPreemption } from './preemption.ts';
import { type QueuedPod, SchedulingQueue } from './scheduling-queue.ts';
import { type DefaultConstraints, scoreNodes } from './scores.ts';
import { podTopologySpread } from './topology-spread.ts';
import { PodVolumes } from './volumes/pod-volumes.ts';

const NAME = 'default-scheduler';
/** Pods placed between two pauses in which others get to run. */
const BATCH = 100;
const NO_NODES = 'no nodes available to schedule pods';

/** Everything the scheduler reads. */
const RESOURCES: readonly Resource[] = [
  Pods,
  Nodes,
  Namespaces,
  PersistentVolumeClaims,
  PersistentVolumes,
  StorageClasses,
  CSINodes,
  VolumeAttachments,
  PodDisruptionBudgets,
  Services,
  ReplicaSets,
  StatefulSets,
  ReplicationControllers,
];

const NODE_FILTERS = [nodeUnschedulable, nodeName, taintToleration, nodeAffinity, nodePorts, nodeResourcesFit];

/** What an attempt came to when no node was found. */
interface Failure {
  readonly message: string;
  readonly plugins: ReadonlySet<PluginName>;
  /** Node to wait for; empty takes an earlier nomination away. */
  readonly nominate?: string;
  readonly victims: readonly PodInfo[];
}

/**
 * kube-scheduler with its default profile: one pod at a time, in order of priority and age, onto the best node that every
 * filter accepts. Placements count at once; writing them goes on beside the next attempts.
 */
export class Scheduler {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #informers: Informers;
  readonly #recorder: Recorder;
  readonly #writer: PodWriter;
  readonly #queue: SchedulingQueue;
  readonly #cache: ClusterCache;
  readonly #nominations = new Nominations();
  readonly #shapes = new LabelShapes();
  readonly #volumes: PodVolumes;
  readonly #filters: readonly Filter[];
  readonly #defaultConstraints: DefaultConstraints;
  /** The last failure of each shape of pod, and the state of the cluster it was in. */
  readonly #failures = new Map<string, { readonly version: number; readonly failure: Failure }>();
  #wake = Promise.withResolvers<void>();
  /** Where among the nodes the next search begins. */
  #start = 0;

  constructor(deps: ControlPlaneDeps) {
    const { client, clock, informers } = deps;
    this.#clock = clock;
    this.#random = deps.random;
    this.#informers = informers;
    this.#recorder = deps.recorderFor(NAME, Pods);
    this.#writer = new PodWriter({ client, clock, recorder: this.#recorder });
    this.#queue = new SchedulingQueue({ clock, shapes: this.#shapes, onReady: () => this.#wake.resolve() });
    const namespaces = informers.reader(Namespaces);
    this.#cache = new ClusterCache((name) => namespaces.get(name)?.metadata.labels);
    this.#volumes = new PodVolumes({ client, clock, informers });
    this.#filters = [...NODE_FILTERS, ...this.#volumes.filters, podTopologySpread, interPodAffinity];
    this.#defaultConstraints = defaultConstraints(informers);
  }

  /** Schedules until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const informers = RESOURCES.map((resource) => this.#informers.for(resource));
    const aborted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([aborted, Promise.all(informers.map(({ synced }) => synced))]);
    if (signal.aborted) return;
    const stop = watchCluster({
      informers: this.#informers,
      cache: this.#cache,
      queue: this.#queue,
      nominations: this.#nominations,
      shapes: this.#shapes,
      schedulerName: NAME,
      filters: NODE_FILTERS,
    });
    while (!signal.aborted) {
      await this.#drain(signal);
      await Promise.race([aborted, this.#wake.promise]);
      this.#wake = Promise.withResolvers();
    }
    stop();
    this.#queue.close();
  }

  async #drain(signal: AbortSignal): Promise<void> {
    let done = 0;
    for (let queued = this.#queue.pop(); queued !== undefined && !signal.aborted; queued = this.#queue.pop()) {
      this.#attempt(queued, signal);
      if (++done % BATCH === 0) await this.#clock.sleep(0, signal).catch(() => {});
    }
  }

  #attempt({ info }: QueuedPod, signal: AbortSignal): void {
    const { nodes } = this.#cache;
    if (nodes.length === 0) {
      this.#report({ message: NO_NODES, plugins: new Set(), victims: [] }, info, signal);
      return;
    }
    const known = this.#failures.get(info.schedulingShape ?? '');
    if (known?.version === this.#cache.version) {
      // Nothing has changed since an equal pod failed.
      this.#report(known.failure, info, signal);
      return;
    }
    const prepared = prepareFilters(info, this.#cache, this.#filters);
    const alsoFits = this.#nominations.check(info, this.#filters);
    const { feasible, examined, diagnosis } = findNodes(this.#cache, prepared, this.#start, alsoFits);
    this.#start = (this.#start + examined) % nodes.length;
    const node = this.#best(info, feasible);
    if (node === undefined) {
      const failure = this.#failure(info, diagnosis, alsoFits);
      this.#remember(info, failure);
      this.#report(failure, info, signal);
    } else void this.#place(info, node, signal);
  }

  /** So that the next equal pod need not be tried. What a pod preempts is its own affair. */
  #remember({ schedulingShape }: PodInfo, failure: Failure): void {
    if (schedulingShape === undefined || failure.victims.length > 0) return;
    const { version } = this.#cache;
    const [oldest] = this.#failures.values();
    if (oldest !== undefined && oldest.version !== version) this.#failures.clear();
    this.#failures.set(schedulingShape, { version, failure });
  }

  /** The nominated node if it does, otherwise the one with the highest score; chance decides among equals. */
  #best(info: PodInfo, feasible: readonly NodeInfo[]): NodeInfo | undefined {
    const nominated = this.#nominations.nodeOf(info.key) ?? info.pod.status?.nominatedNodeName;
    const promised = nominated ? feasible.find(({ name }) => name === nominated) : undefined;
    if (promised !== undefined || feasible.length <= 1) return promised ?? feasible[0];
    const scores = scoreNodes(info, feasible, this.#cache, this.#defaultConstraints);
    const top = Math.max(...scores);
    const best = feasible.filter((_, index) => scores[index] === top);
    return best[Math.floor(this.#random.next() * best.length)];
  }

  async #place(info: PodInfo, node: NodeInfo, signal: AbortSignal): Promise<void> {
    const { pod, key } = info;
    this.#cache.place(info, node.name);
    const volumes = this.#volumes.reserve(info, node);
    try {
      await volumes?.bind(signal);
      await this.#writer.bind(pod, node.name, signal);
      this.#queue.delete(key);
      this.#nominations.delete(key);
    } catch (error) {
      if (signal.aborted) return;
      volumes?.release();
      // The API may have moved on and shown the pod bound, elsewhere or gone.
      const current = this.#informers.reader(Pods).get(key);
      if (current === undefined || current.spec.nodeName) return;
      this.#cache.remove(key);
      this.#queue.changed('pod-removed');
      const message = `running Bind plugin "DefaultBinder": ${(error as Error).message}`;
      this.#tell(pod, message, 'SchedulerError', undefined, signal);
      this.#queue.failed(key);
    }
  }

  #failure(info: PodInfo, diagnosis: Diagnosis, alsoFits: ReturnType<Nominations['check']>): Failure {
    const total = this.#cache.nodes.length;
    const { plugins } = diagnosis;
    const outcome = findPreemption({
      pod: info,
      view: this.#cache,
      filters: this.#filters,
      diagnosis,
      budgets: this.#informers.reader(PodDisruptionBudgets).list(),
      alsoFits,
      start: this.#start,
    });
    if ('candidate' in outcome) {
      const { node, victims } = outcome.candidate;
      return { message: fitMessage(total, diagnosis), plugins, nominate: node.name, victims };
    }
    const message = fitMessage(total, diagnosis, `preemption: ${outcome.message}`);
    return { message, plugins, ...(outcome.forget && { nominate: '' }), victims: [] };
  }

  #report(failure: Failure, info: PodInfo, signal: AbortSignal): void {
    const { message, plugins, nominate, victims } = failure;
    if (nominate || this.#nominations.nodeOf(info.key) !== undefined) this.#cache.touch();
    if (nominate) this.#nominations.set(info, nominate);
    else if (nominate === '') this.#nominations.delete(info.key);
    const news = this.#queue.unschedulable(info.key, plugins, message);
    if (news || nominate) this.#tell(info.pod, message, 'Unschedulable', nominate, signal);
    for (const victim of victims) {
      if (victim.pod.metadata.deletionTimestamp !== undefined) continue;
      this.#writer.preempt(victim.pod, info.pod, nominate ?? '', signal).catch(() => {
        // The next attempt looks for victims again.
      });
    }
  }

  #tell(pod: Pod, message: string, reason: string, nominate: string | undefined, signal: AbortSignal): void {
    this.#recorder.event(pod, { type: 'Warning', reason: 'FailedScheduling', message: truncatedNote(message) });
    this.#writer
      .setStatus(pod, { type: 'PodScheduled', status: 'False', reason, message }, nominate, signal)
      .catch(() => {
        // It will be said again with the next attempt.
      });
  }
}
