import type { Resource } from '../../kube/client.ts';
import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import { isNotFound } from '../../kube/errors.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { Pod } from '../../kube/objects.ts';
import { isReady, isTerminating } from '../../kube/pods.ts';
import { HorizontalPodAutoscalers, Pods } from '../../kube/resources.ts';
import { matchesRequirements, parseLabelSelector } from '../../kube/selectors.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { deepEqual } from '../deep-equal.ts';
import type { ResourceDirectory } from '../resource-directory.ts';
import { textOf } from '../writes/pod-control.ts';
import { writeStatus } from '../writes/write-status.ts';
import { planAutoscale, type Recommendation } from './plan.ts';
import type { HorizontalPodAutoscaler, Scale } from './types.ts';

const Autoscalers = HorizontalPodAutoscalers as unknown as Resource<HorizontalPodAutoscaler>;
const PERIOD = 15_000;

/** Scales workloads by the load that is set for them; see `LOAD_ANNOTATION`. */
export function autoscalingController(deps: ControlPlaneDeps, directory: ResourceDirectory): ControllerSpec {
  const { client, informers, clock } = deps;
  const recorder = deps.recorderFor('horizontal-pod-autoscaler', Autoscalers);
  const histories = new Map<string, readonly Recommendation[]>();

  function targetOf({ spec: { scaleTargetRef } }: HorizontalPodAutoscaler): Resource<Scale> | undefined {
    const { apiVersion = 'v1', kind, name } = scaleTargetRef;
    return directory.ofOwner({ apiVersion, kind, name, uid: '' }) as Resource<Scale> | undefined;
  }

  function podsOf(scale: Scale): readonly Pod[] {
    const selector = scale.status?.selector;
    if (!selector) return [];
    const requirements = parseLabelSelector(selector);
    return informers
      .reader(Pods)
      .list(scale.metadata.namespace)
      .filter((pod) => isReady(pod) && !isTerminating(pod) && matchesRequirements(requirements, pod.metadata.labels));
  }

  async function scaleOf(hpa: HorizontalPodAutoscaler, signal: AbortSignal): Promise<Scale | undefined> {
    const resource = targetOf(hpa);
    if (resource === undefined) return undefined;
    const ref = { name: hpa.spec.scaleTargetRef.name, namespace: hpa.metadata.namespace };
    // A patch that changes nothing reads the Scale of any kind that has one.
    const nothing = { type: 'merge', body: {} } as const;
    return await client.patch(resource, ref, nothing, { subresource: 'scale' }, signal);
  }

  async function reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const hpa = informers.reader(Autoscalers).get(key);
    if (hpa === undefined) {
      histories.delete(key);
      return undefined;
    }
    try {
      const scale = await scaleOf(hpa, signal);
      if (scale === undefined) return { requeueAfter: PERIOD };
      const replicas = scale.spec?.replicas ?? 0;
      const view = { hpa, replicas, pods: podsOf(scale), history: histories.get(key) ?? [] };
      const plan = planAutoscale(view, clock.now());
      histories.set(key, plan.history);
      if (plan.desired !== replicas) await rescale(hpa, plan.desired, plan.reason ?? '', signal);
      await writeStatus(client, Autoscalers, hpa, plan.status, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const message = `the HPA controller was unable to get the target's current scale: ${textOf(error)}`;
      recorder.event(hpa, { type: 'Warning', reason: 'FailedGetScale', message });
    }
    return { requeueAfter: PERIOD };
  }

  async function rescale(
    hpa: HorizontalPodAutoscaler,
    replicas: number,
    reason: string,
    signal: AbortSignal,
  ): Promise<void> {
    const resource = targetOf(hpa);
    if (resource === undefined) return;
    const ref = { name: hpa.spec.scaleTargetRef.name, namespace: hpa.metadata.namespace };
    const body = { spec: { replicas } };
    await client.patch(resource, ref, { type: 'merge', body }, { subresource: 'scale' }, signal);
    const message = `New size: ${replicas}; reason: ${reason}`;
    recorder.event(hpa, { type: 'Normal', reason: 'SuccessfulRescale', message });
  }

  return {
    name: 'horizontalpodautoscaler',
    watches: [
      // Its own status is no news.
      watch(Autoscalers, ({ object, old }) => (old && !isNews(old, object) ? [] : [keyOf(object)])),
      watch(Pods, () => []),
    ],
    reconcile,
  };
}

function isNews(before: HorizontalPodAutoscaler, after: HorizontalPodAutoscaler): boolean {
  return (
    before.metadata.generation !== after.metadata.generation ||
    !deepEqual(before.metadata.annotations, after.metadata.annotations)
  );
}
