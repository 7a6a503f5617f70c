import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import type { Pod, ReplicaSet } from '../../kube/objects.ts';
import { controllerOf, isActive, isTerminating } from '../../kube/pods.ts';
import { Pods, ReplicaSets } from '../../kube/resources.ts';
import { labelMatcher } from '../../kube/selectors.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { type Controlled, controlledBy } from '../indexes.ts';
import { toController } from '../owner-keys.ts';
import { controllerReference } from '../owners.ts';
import { podFromTemplate } from '../pod-from-template.ts';
import { nextAvailability } from '../pod-state.ts';
import { Throttle } from '../throttle.ts';
import { inParallel } from '../writes/parallel.ts';
import { PendingWrites } from '../writes/pending-writes.ts';
import { PodControl, textOf } from '../writes/pod-control.ts';
import { writeStatus } from '../writes/write-status.ts';
import { planOwnership, withoutOwner } from './adoption.ts';
import { planReplicas, type ReplicaFailure, replicaSetStatus } from './plan.ts';

const REPLICA_SET_KIND = { group: 'apps', version: 'v1', kind: 'ReplicaSet' };
const WORKERS = 8;

/** Keeps as many pods as each ReplicaSet asks for. */
export function replicaSetController(deps: ControlPlaneDeps): ControllerSpec {
  const reconciler = new ReplicaSetReconciler(deps);
  const owner = toController<Pod>('ReplicaSet');
  return {
    name: 'replicaset',
    workers: WORKERS,
    watches: [
      watch(ReplicaSets),
      watch(Pods, (change) => {
        const owners = owner(change);
        return owners.length > 0 || change.type === 'Deleted' ? owners : reconciler.adopters(change.object);
      }),
    ],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

class ReplicaSetReconciler {
  readonly #deps: ControlPlaneDeps;
  readonly #podsOf: Controlled<Pod>;
  readonly #siblingsOf: Controlled<ReplicaSet>;
  readonly #pending: PendingWrites;
  readonly #pods: PodControl;
  readonly #throttle: Throttle;

  constructor(deps: ControlPlaneDeps) {
    this.#deps = deps;
    this.#throttle = new Throttle(deps);
    this.#podsOf = controlledBy(deps.informers.for(Pods));
    this.#siblingsOf = controlledBy(deps.informers.for(ReplicaSets));
    this.#pending = new PendingWrites({ clock: deps.clock, pods: deps.informers.reader(Pods) });
    const recorder = deps.recorderFor('replicaset-controller', ReplicaSets);
    this.#pods = new PodControl({ client: deps.client, recorder, pending: this.#pending });
  }

  /** The ReplicaSets whose selector takes a pod that nobody controls. */
  adopters(pod: Pod): readonly string[] {
    if (controllerOf(pod) !== undefined || !isActive(pod)) return [];
    return this.#deps.informers
      .reader(ReplicaSets)
      .list(pod.metadata.namespace)
      .filter((set) => labelMatcher(set.spec.selector)(pod.metadata.labels))
      .map((set) => `${set.metadata.namespace}/${set.metadata.name}`);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const set = this.#deps.informers.reader(ReplicaSets).get(key);
    if (set === undefined) {
      this.#pending.forget(key);
      this.#throttle.forget(key);
      return undefined;
    }
    const tooSoon = this.#throttle.wait(key);
    if (tooSoon > 0) return { requeueAfter: tooSoon };
    if (!isTerminating(set)) await this.#claim(set, signal);
    // Both at one moment: pods that settle in between would be created twice.
    const settled = this.#pending.settled(key);
    const own = this.#podsOf.of(set);
    const active = own.filter(isActive);
    this.#throttle.ran(key, own.length);
    let failure: unknown;
    if (!isTerminating(set) && settled) {
      failure = await this.#manage(set, active, signal).catch((error: unknown) => error);
    }
    return this.#report(set, own, active, failure, signal);
  }

  /** Takes in pods that match and have no controller, and lets go those that no longer match. */
  async #claim(set: ReplicaSet, signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const uid = set.metadata.uid ?? '';
    const matches = labelMatcher(set.spec.selector);
    const orphans = this.#podsOf.orphansIn(set.metadata.namespace);
    const { adopt, release } = planOwnership(matches, this.#podsOf.of(set), orphans);
    const patch = (pod: Pod, ownerReferences: unknown): Promise<unknown> => {
      const body = {
        metadata: { uid: pod.metadata.uid, resourceVersion: pod.metadata.resourceVersion, ownerReferences },
      };
      const { name, namespace } = pod.metadata;
      return client.patch(Pods, { name, namespace }, { type: 'merge', body }, {}, signal);
    };
    await inParallel(adopt, async (pod) => {
      await patch(pod, [...(pod.metadata.ownerReferences ?? []), controllerReference(set, REPLICA_SET_KIND)]);
    });
    await inParallel(release, async (pod) => {
      await patch(pod, withoutOwner(pod, uid));
    });
  }

  async #manage(set: ReplicaSet, active: readonly Pod[], signal: AbortSignal): Promise<void> {
    const related = this.#siblings(set).flatMap((sibling) => this.#podsOf.of(sibling));
    const plan = planReplicas(set, active, related, this.#deps.clock.now());
    if (plan.action === 'delete') await this.#pods.remove(set, plan.pods, signal);
    if (plan.action === 'create') {
      const pod = podFromTemplate(set, REPLICA_SET_KIND, set.spec.template);
      await this.#pods.create(set, new Array<Pod>(plan.count).fill(pod), signal);
    }
  }

  #siblings(set: ReplicaSet): readonly ReplicaSet[] {
    const owner = controllerOf(set);
    return owner === undefined ? [set] : this.#siblingsOf.of({ metadata: { name: owner.name, uid: owner.uid } });
  }

  async #report(
    set: ReplicaSet,
    own: readonly Pod[],
    active: readonly Pod[],
    failure: unknown,
    signal: AbortSignal,
  ): Promise<ReconcileResult | undefined> {
    const now = this.#deps.clock.now();
    const reason: ReplicaFailure | undefined = failure === undefined ? undefined : { message: textOf(failure) };
    const terminating = own.filter(isTerminating).length;
    const status = replicaSetStatus(set, active, terminating, reason, now);
    await writeStatus(this.#deps.client, ReplicaSets, set, status, signal);
    if (failure !== undefined) throw failure;
    const wait = nextAvailability(active, set.spec.minReadySeconds ?? 0, now);
    return wait === undefined ? undefined : { requeueAfter: wait };
  }
}
