import { findCondition } from '../../kube/conditions.ts';
import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { Job, Pod } from '../../kube/objects.ts';
import { controllerOf, isTerminating } from '../../kube/pods.ts';
import { Jobs, Pods } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { type Controlled, controlledBy } from '../indexes.ts';
import { toController } from '../owner-keys.ts';
import type { Recorder } from '../recorder.ts';
import { Throttle } from '../throttle.ts';
import { inParallel } from '../writes/parallel.ts';
import { PendingWrites } from '../writes/pending-writes.ts';
import { PodControl } from '../writes/pod-control.ts';
import { writeStatus } from '../writes/write-status.ts';
import { endedAs, planJob } from './plan.ts';
import { isTracked, TRACKING_FINALIZER } from './pod.ts';

const WORKERS = 4;

/** Runs Jobs to their completion, and removes them some time after if they ask for it. */
export function jobController(deps: ControlPlaneDeps): ControllerSpec {
  const reconciler = new JobReconciler(deps);
  return {
    name: 'job',
    workers: WORKERS,
    watches: [watch(Jobs), watch(Pods, toController('Job'))],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

class JobReconciler {
  readonly #deps: ControlPlaneDeps;
  readonly #recorder: Recorder;
  readonly #podsOf: Controlled<Pod>;
  readonly #pending: PendingWrites;
  readonly #pods: PodControl;
  readonly #throttle: Throttle;

  constructor(deps: ControlPlaneDeps) {
    this.#deps = deps;
    this.#throttle = new Throttle(deps);
    this.#recorder = deps.recorderFor('job-controller', Jobs);
    this.#podsOf = controlledBy(deps.informers.for(Pods));
    this.#pending = new PendingWrites({ clock: deps.clock, pods: deps.informers.reader(Pods) });
    this.#pods = new PodControl({ client: deps.client, recorder: this.#recorder, pending: this.#pending });
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { client, informers, clock } = this.#deps;
    const job = informers.reader(Jobs).get(key);
    if (job === undefined || isTerminating(job)) {
      this.#pending.forget(key);
      this.#throttle.forget(key);
      await this.#releaseOrphans(key, job, signal);
      return undefined;
    }
    const expiry = await this.#expire(job, signal);
    if (expiry === 'expired' || !this.#pending.settled(key)) return undefined;
    const tooSoon = this.#throttle.wait(key);
    if (tooSoon > 0) return { requeueAfter: tooSoon };
    const pods = this.#podsOf.of(job);
    this.#throttle.ran(key, pods.length);
    const plan = planJob(job, pods, clock.now());
    for (const event of plan.events) this.#recorder.event(job, event);
    await writeStatus(client, Jobs, job, plan.status, signal);
    await this.#release(plan.release, signal);
    // The Job's own deletions must not count as failures of its pods.
    await this.#release(plan.remove, signal);
    await this.#pods.remove(job, plan.remove, signal);
    await this.#pods.create(job, plan.create, signal);
    const waits = [plan.again, expiry].filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : { requeueAfter: Math.min(...waits) };
  }

  /** Deletes a finished Job whose time to live is over; else says when that will be. */
  async #expire(job: Job, signal: AbortSignal): Promise<number | 'expired' | undefined> {
    const ttl = job.spec.ttlSecondsAfterFinished;
    const end = endedAs(job);
    if (ttl === undefined || end === undefined) return undefined;
    const condition = findCondition(job, end.type);
    const wait = Date.parse(condition?.lastTransitionTime ?? '') + ttl * 1000 - this.#deps.clock.now();
    if (!(wait <= 0)) return Number.isNaN(wait) ? undefined : wait;
    const { name, namespace, uid } = job.metadata;
    const options = { propagationPolicy: 'Foreground', preconditions: { uid } } as const;
    await this.#deps.client.delete(Jobs, { name, namespace }, options, signal).catch(ignoreNotFound);
    return 'expired';
  }

  /** Pods of a Job that nobody will count any more. */
  async #releaseOrphans(key: string, job: Job | undefined, signal: AbortSignal): Promise<void> {
    const pods = job
      ? this.#podsOf.of(job)
      : this.#deps.informers
          .reader(Pods)
          .list(key.slice(0, key.indexOf('/')))
          .filter(
            (pod) =>
              controllerOf(pod)?.kind === 'Job' && `${pod.metadata.namespace}/${controllerOf(pod)?.name}` === key,
          );
    await this.#release(pods, signal);
  }

  async #release(pods: readonly Pod[], signal: AbortSignal): Promise<void> {
    await inParallel(pods.filter(isTracked), async (pod) => {
      const { name, namespace, uid, finalizers = [] } = pod.metadata;
      const cached = this.#deps.informers.reader(Pods).get(keyOf(pod));
      if (cached === undefined || cached.metadata.uid !== uid || !isTracked(cached)) return;
      const body = { metadata: { uid, finalizers: finalizers.filter((name) => name !== TRACKING_FINALIZER) } };
      await this.#deps.client
        .patch(Pods, { name, namespace }, { type: 'merge', body }, {}, signal)
        .catch(ignoreNotFound);
    });
  }
}
