import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import { isAlreadyExists } from '../../kube/errors.ts';
import type { Pod, StatefulSet } from '../../kube/objects.ts';
import { isTerminating } from '../../kube/pods.ts';
import { ControllerRevisions, PersistentVolumeClaims, Pods, StatefulSets } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { type Controlled, controlledBy } from '../indexes.ts';
import { toController } from '../owner-keys.ts';
import { nextAvailability } from '../pod-state.ts';
import type { Recorder } from '../recorder.ts';
import { type ControllerRevision, type RevisionPlan, templateOf } from '../revisions/plan.ts';
import { RevisionControl } from '../revisions/revision-control.ts';
import { inParallel } from '../writes/parallel.ts';
import { PendingWrites } from '../writes/pending-writes.ts';
import { PodControl } from '../writes/pod-control.ts';
import { writeStatus } from '../writes/write-status.ts';
import { planClaimRetention } from './claim-retention.ts';
import { planStatefulSet, revisionOf, rosterOf, type StatefulSetPlan, type StatefulSetView } from './plan.ts';
import { STATEFUL_SET_KIND } from './pod.ts';
import { statefulSetStatus } from './status.ts';

const WORKERS = 4;

/** Gives each StatefulSet its numbered pods with their own claims. */
export function statefulSetController(deps: ControlPlaneDeps): ControllerSpec {
  const reconciler = new StatefulSetReconciler(deps);
  return {
    name: 'statefulset',
    workers: WORKERS,
    watches: [
      watch(StatefulSets),
      watch(Pods, toController('StatefulSet')),
      watch(ControllerRevisions, toController('StatefulSet')),
      watch(PersistentVolumeClaims, () => []),
    ],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

interface SetStatus {
  readonly currentRevision?: string;
}

class StatefulSetReconciler {
  readonly #deps: ControlPlaneDeps;
  readonly #recorder: Recorder;
  readonly #podsOf: Controlled<Pod>;
  readonly #pending: PendingWrites;
  readonly #pods: PodControl;
  readonly #revisions: RevisionControl<StatefulSet>;

  constructor(deps: ControlPlaneDeps) {
    this.#deps = deps;
    this.#recorder = deps.recorderFor('statefulset-controller', StatefulSets);
    this.#podsOf = controlledBy(deps.informers.for(Pods));
    this.#pending = new PendingWrites({ clock: deps.clock, pods: deps.informers.reader(Pods) });
    this.#pods = new PodControl({ client: deps.client, recorder: this.#recorder, pending: this.#pending });
    this.#revisions = new RevisionControl(deps, StatefulSets, STATEFUL_SET_KIND);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { client, informers, clock } = this.#deps;
    const set = informers.reader(StatefulSets).get(key);
    if (set === undefined) {
      this.#pending.forget(key);
      return undefined;
    }
    const revisions = await this.#revisions.sync(set, signal);
    if (revisions === undefined) return { requeue: true };
    await this.#retainClaims(this.#viewOf(set, revisions), signal);
    // Both at one moment: pods that settle in between would be created twice.
    const settled = this.#pending.settled(key);
    const view = this.#viewOf(set, revisions);
    if (settled) await this.#write(set, planStatefulSet(view, clock.now()), signal);
    const now = clock.now();
    await writeStatus(client, StatefulSets, set, statefulSetStatus(view, now), signal);
    const live = new Set([...view.pods.map((pod) => revisionOf(pod) ?? ''), view.currentRevision]);
    await this.#revisions.prune(set, revisions, live, signal);
    const wait = nextAvailability(view.pods, set.spec.minReadySeconds ?? 0, now);
    return wait === undefined ? undefined : { requeueAfter: wait };
  }

  #viewOf(set: StatefulSet, { current: update, old }: RevisionPlan): StatefulSetView {
    const status = (set.status ?? {}) as SetStatus;
    const all: readonly ControllerRevision[] = [...old, update];
    const current = all.find(({ metadata }) => metadata.name === status.currentRevision) ?? update;
    return {
      set,
      pods: this.#podsOf.of(set),
      claims: this.#deps.informers.reader(PersistentVolumeClaims).list(set.metadata.namespace),
      currentRevision: current.metadata.name,
      currentTemplate: templateOf(current) ?? set.spec.template,
      updateRevision: update.metadata.name,
    };
  }

  async #write(set: StatefulSet, plan: StatefulSetPlan, signal: AbortSignal): Promise<void> {
    for (const claim of plan.claims) {
      try {
        await this.#deps.client.create(PersistentVolumeClaims, claim, {}, signal);
        const message = `create Claim ${claim.metadata.name} in StatefulSet ${set.metadata.name} success`;
        this.#recorder.event(set, { type: 'Normal', reason: 'SuccessfulCreate', message });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }
    await this.#pods.remove(set, plan.remove, signal);
    await this.#pods.create(set, plan.create, signal);
  }

  async #retainClaims({ set, pods, claims }: StatefulSetView, signal: AbortSignal): Promise<void> {
    if (isTerminating(set)) return;
    const { condemned } = rosterOf(set, pods);
    await inParallel([...planClaimRetention(set, pods, condemned, claims)], async ({ claim, ownerReferences }) => {
      const { name, namespace, uid, resourceVersion } = claim.metadata;
      const body = { metadata: { uid, resourceVersion, ownerReferences } };
      await this.#deps.client.patch(PersistentVolumeClaims, { name, namespace }, { type: 'merge', body }, {}, signal);
    });
  }
}
