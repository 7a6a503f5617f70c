import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import { isAlreadyExists, isNotFound } from '../../kube/errors.ts';
import type { Deployment, Pod, ReplicaSet } from '../../kube/objects.ts';
import { controllerOf } from '../../kube/pods.ts';
import { Deployments, Pods, ReplicaSets } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { type Controlled, controlledBy } from '../indexes.ts';
import { toController } from '../owner-keys.ts';
import type { Recorder } from '../recorder.ts';
import { equalTemplates } from '../template-hash.ts';
import { isNamespaceTerminating, textOf } from '../writes/pod-control.ts';
import { writeStatus } from '../writes/write-status.ts';
import type { DeploymentPlan } from './draft.ts';
import { planDeployment } from './plan.ts';
import { setCondition } from './progress.ts';
import { progressDeadline, REVISION, statusOf } from './rollout.ts';

const WORKERS = 8;

/** Rolls Deployments out over ReplicaSets. */
export function deploymentController(deps: ControlPlaneDeps): ControllerSpec {
  const reconciler = new DeploymentReconciler(deps);
  return {
    name: 'deployment',
    workers: WORKERS,
    watches: [
      watch(Deployments),
      watch(ReplicaSets, toController('Deployment')),
      // Recreate waits for the last old pod to go.
      watch(Pods, ({ type, object }) => (type === 'Deleted' ? reconciler.deploymentOf(object) : [])),
    ],
    reconcile: (key, signal) => reconciler.reconcile(key, signal),
  };
}

class DeploymentReconciler {
  readonly #deps: ControlPlaneDeps;
  readonly #recorder: Recorder;
  readonly #replicaSetsOf: Controlled<ReplicaSet>;
  readonly #podsOf: Controlled<Pod>;

  constructor(deps: ControlPlaneDeps) {
    this.#deps = deps;
    this.#recorder = deps.recorderFor('deployment-controller', Deployments);
    this.#replicaSetsOf = controlledBy(deps.informers.for(ReplicaSets));
    this.#podsOf = controlledBy(deps.informers.for(Pods));
  }

  deploymentOf(pod: Pod): readonly string[] {
    const owner = controllerOf(pod);
    if (owner?.kind !== 'ReplicaSet') return [];
    const set = this.#deps.informers.reader(ReplicaSets).get(`${pod.metadata.namespace}/${owner.name}`);
    const deployment = set && controllerOf(set);
    return deployment ? [`${pod.metadata.namespace}/${deployment.name}`] : [];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const deployment = this.#deps.informers.reader(Deployments).get(key);
    if (deployment === undefined) return undefined;
    const replicaSets = this.#replicaSetsOf.of(deployment);
    const pods =
      deployment.spec.strategy?.type === 'Recreate' ? replicaSets.flatMap((set) => this.#podsOf.of(set)) : [];
    const plan = planDeployment({ deployment, replicaSets, pods }, this.#deps.clock.now());
    const written = await this.#writeReplicaSets(deployment, plan, signal);
    if (!written) return { requeue: true };
    for (const event of plan.events) this.#recorder.event(deployment, event);
    const current = await this.#writeRevision(deployment, plan, signal);
    if (current !== undefined) await writeStatus(this.#deps.client, Deployments, current, plan.status, signal);
    return plan.again === undefined ? undefined : { requeueAfter: plan.again };
  }

  /** Returns false when the plan has to be made again. */
  async #writeReplicaSets(deployment: Deployment, plan: DeploymentPlan, signal: AbortSignal): Promise<boolean> {
    const { client } = this.#deps;
    if (plan.create && !(await this.#create(deployment, plan.create, signal))) return false;
    for (const set of plan.update) await client.update(ReplicaSets, set, {}, signal);
    for (const { metadata } of plan.remove) {
      try {
        const ref = { name: metadata.name, namespace: metadata.namespace };
        await client.delete(ReplicaSets, ref, { propagationPolicy: 'Background' }, signal);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    }
    return true;
  }

  async #create(deployment: Deployment, set: ReplicaSet, signal: AbortSignal): Promise<boolean> {
    const { client } = this.#deps;
    try {
      await client.create(ReplicaSets, set, {}, signal);
      return true;
    } catch (error) {
      if (isNamespaceTerminating(error)) return true;
      if (!isAlreadyExists(error)) {
        await this.#reportFailure(deployment, set, error, signal);
        throw error;
      }
    }
    const existing = await client.get(ReplicaSets, set.metadata, signal);
    const isOurs = controllerOf(existing)?.uid === deployment.metadata.uid;
    // The cache does not show it yet.
    if (isOurs && equalTemplates(existing.spec.template, set.spec.template)) return false;
    // Two templates of the same hash: the count makes the next one differ.
    const status = statusOf(deployment);
    const collisionCount = (status.collisionCount ?? 0) + 1;
    await writeStatus(client, Deployments, deployment, { ...status, collisionCount }, signal);
    return false;
  }

  async #reportFailure(deployment: Deployment, set: ReplicaSet, error: unknown, signal: AbortSignal): Promise<void> {
    const reason = 'ReplicaSetCreateError';
    const message = `Failed to create new replica set "${set.metadata.name}": ${textOf(error)}`;
    this.#recorder.event(deployment, { type: 'Warning', reason, message });
    if (progressDeadline(deployment) === undefined) return;
    const status = statusOf(deployment);
    const condition = { type: 'Progressing', status: 'False', reason, message } as const;
    const conditions = setCondition(status.conditions ?? [], condition, this.#deps.clock.now());
    await writeStatus(this.#deps.client, Deployments, deployment, { ...status, conditions }, signal);
  }

  /** The Deployment at the version its status can be written over; undefined when it is gone. */
  async #writeRevision(
    deployment: Deployment,
    plan: DeploymentPlan,
    signal: AbortSignal,
  ): Promise<Deployment | undefined> {
    if (plan.revision === undefined) return deployment;
    const { name, namespace, resourceVersion } = deployment.metadata;
    const body = { metadata: { resourceVersion, annotations: { [REVISION]: plan.revision } } };
    try {
      return await this.#deps.client.patch(Deployments, { name, namespace }, { type: 'merge', body }, {}, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
