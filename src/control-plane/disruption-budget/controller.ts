import { type ControllerSpec, type ReconcileResult, watch } from '../../kube/controller.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { Pod, PodDisruptionBudget } from '../../kube/objects.ts';
import { isTerminal } from '../../kube/pods.ts';
import { Deployments, PodDisruptionBudgets, Pods, ReplicaSets, StatefulSets } from '../../kube/resources.ts';
import { selects } from '../../kube/selectors.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { Throttle } from '../throttle.ts';
import { writeStatus } from '../writes/write-status.ts';
import { expectedScale, scaleFinder } from './expected-scale.ts';
import { needsScale, planBudget } from './plan.ts';

const WORKERS = 4;

/** Keeps the status of PodDisruptionBudgets, by which the eviction subresource decides. */
export function disruptionBudgetController(deps: ControlPlaneDeps): ControllerSpec {
  const { client, informers, clock } = deps;
  const recorder = deps.recorderFor('controllermanager', PodDisruptionBudgets);
  const budgets = informers.reader(PodDisruptionBudgets);
  const find = scaleFinder(informers);
  const throttle = new Throttle(deps);
  const covering = (pod: Pod): readonly PodDisruptionBudget[] =>
    budgets.list(pod.metadata.namespace).filter(({ spec }) => selects(spec.selector, pod.metadata.labels));
  const ofNamespace = (namespace: string | undefined): readonly string[] => budgets.list(namespace).map(keyOf);

  async function reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const pdb = budgets.get(key);
    if (pdb === undefined) {
      throttle.forget(key);
      return undefined;
    }
    const tooSoon = throttle.wait(key);
    if (tooSoon > 0) return { requeueAfter: tooSoon };
    const inNamespace = informers.reader(Pods).list(pdb.metadata.namespace);
    throttle.ran(key, inNamespace.length);
    const pods = inNamespace.filter((pod) => selects(pdb.spec.selector, pod.metadata.labels) && !isTerminal(pod));
    if (pods.length === 0) recorder.event(pdb, { type: 'Normal', reason: 'NoPods', message: 'No matching pods found' });
    const expected = expectedScale(pods, find);
    const failure = needsScale(pdb) && typeof expected.scale !== 'number' ? expected.scale.failure : undefined;
    if (failure !== undefined) {
      const message = `Failed to calculate the number of expected pods: ${failure}`;
      recorder.event(pdb, { type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message });
    }
    const plan = planBudget({ pdb, pods, expectedScale: expected.scale }, clock.now());
    await writeStatus(client, PodDisruptionBudgets, pdb, plan.status, signal);
    if (failure !== undefined) return { requeue: true };
    return plan.again === undefined ? undefined : { requeueAfter: plan.again };
  }

  return {
    name: 'disruption',
    workers: WORKERS,
    rateLimit: { base: 100, max: 60_000 },
    watches: [
      watch(PodDisruptionBudgets),
      watch(Pods, ({ object, old }) => [...covering(object), ...(old ? covering(old) : [])].map(keyOf)),
      ...[Deployments, ReplicaSets, StatefulSets].map((resource) =>
        watch(resource, ({ object, old }) =>
          sizeOf(object) === (old && sizeOf(old)) ? [] : ofNamespace(object.metadata.namespace),
        ),
      ),
    ],
    reconcile,
  };
}

function sizeOf(object: { readonly spec: { readonly replicas?: number } }): number {
  return object.spec.replicas ?? 1;
}
