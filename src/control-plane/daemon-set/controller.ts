import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { DaemonSet, Node, Pod } from '../../kube/objects.ts';
import { isTerminating } from '../../kube/pods.ts';
import { ControllerRevisions, DaemonSets, Nodes, Pods } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { deepEqual } from '../deep-equal.ts';
import { type Controlled, controlledBy } from '../indexes.ts';
import { toController } from '../owner-keys.ts';
import { nextAvailability } from '../pod-state.ts';
import type { Recorder } from '../recorder.ts';
import { REVISION_HASH } from '../revisions/plan.ts';
import { RevisionControl } from '../revisions/revision-control.ts';
import { Throttle } from '../throttle.ts';
import { PendingWrites } from '../writes/pending-writes.ts';
import { PodControl } from '../writes/pod-control.ts';
import { writeStatus } from '../writes/write-status.ts';
import { daemonSetStatus, planDaemonSet } from './plan.ts';
import { DAEMON_SET_KIND, daemonPod } from './pod.ts';

const WORKERS = 4;

/** Runs one pod of each DaemonSet on every node it is meant for. */
export function daemonSetController(deps: ControlPlaneDeps): ControllerSpec {
  const reconciler = new DaemonSetReconciler(deps);
  const all = (): readonly string[] => deps.informers.reader(DaemonSets).list().map(keyOf);
  return {
    name: 'daemonset',
    workers: WORKERS,
    watches: [
      watch(DaemonSets),
      watch(Pods, toController('DaemonSet')),
      watch(ControllerRevisions, toController('DaemonSet')),
      watch(Nodes, ({ object, old }) => (old && !concernsPlacement(old, object) ? [] : all())),
    ],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

/** Heartbeats don't. */
function concernsPlacement(before: Node, after: Node): boolean {
  return !deepEqual(before.metadata.labels, after.metadata.labels) || !deepEqual(before.spec.taints, after.spec.taints);
}

class DaemonSetReconciler {
  readonly #deps: ControlPlaneDeps;
  readonly #recorder: Recorder;
  readonly #podsOf: Controlled<Pod>;
  readonly #pending: PendingWrites;
  readonly #pods: PodControl;
  readonly #revisions: RevisionControl<DaemonSet>;
  readonly #throttle: Throttle;

  constructor(deps: ControlPlaneDeps) {
    this.#deps = deps;
    this.#throttle = new Throttle(deps);
    this.#recorder = deps.recorderFor('daemonset-controller', DaemonSets);
    this.#podsOf = controlledBy(deps.informers.for(Pods));
    this.#pending = new PendingWrites({ clock: deps.clock, pods: deps.informers.reader(Pods) });
    this.#pods = new PodControl({ client: deps.client, recorder: this.#recorder, pending: this.#pending });
    this.#revisions = new RevisionControl(deps, DaemonSets, DAEMON_SET_KIND);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { client, informers, clock } = this.#deps;
    const set = informers.reader(DaemonSets).get(key);
    if (set === undefined) {
      this.#pending.forget(key);
      this.#throttle.forget(key);
      return undefined;
    }
    if (isTerminating(set)) return undefined;
    const tooSoon = this.#throttle.wait(key);
    if (tooSoon > 0) return { requeueAfter: tooSoon };
    const revision = await this.#revisions.sync(set, signal);
    if (revision === undefined) return { requeue: true };
    const hash = revision.current.metadata.labels?.[REVISION_HASH] ?? '';
    const pods = this.#podsOf.of(set);
    const view = { set, nodes: informers.reader(Nodes).list(), pods, hash };
    this.#throttle.ran(key, view.nodes.length + pods.length);
    if (this.#pending.settled(key)) {
      const plan = planDaemonSet(view, clock.now());
      for (const event of plan.events) this.#recorder.event(set, event);
      await this.#pods.remove(set, plan.remove, signal);
      await this.#pods.create(
        set,
        plan.create.map((node) => daemonPod(set, node, hash)),
        signal,
      );
    }
    await writeStatus(client, DaemonSets, set, daemonSetStatus(view, clock.now()), signal);
    const live = new Set(pods.map((pod) => pod.metadata.labels?.[REVISION_HASH] ?? ''));
    await this.#revisions.prune(set, revision, live, signal);
    const wait = nextAvailability(pods, set.spec.minReadySeconds ?? 0, clock.now());
    return wait === undefined ? undefined : { requeueAfter: wait };
  }
}
