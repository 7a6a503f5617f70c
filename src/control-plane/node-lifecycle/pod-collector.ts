import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { ignoreNotFound, isNotFound } from '../../kube/errors.ts';
import type { Pod } from '../../kube/objects.ts';
import { isTerminal } from '../../kube/pods.ts';
import { Nodes, Pods } from '../../kube/resources.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { inParallel } from '../writes/parallel.ts';
import { markDisrupted } from './mark-disrupted.ts';
import type { NodeLifecycleOptions } from './options.ts';
import { collectablePods, type Garbage } from './pod-collection.ts';

const ALL = 'all pods';
const SEVERAL = 16;

/** Removes pods that have no kubelet to end them. */
export function podCollector(deps: ControlPlaneDeps, options: NodeLifecycleOptions): ControllerSpec {
  const { informers, clock } = deps;
  /** When each node with pods was first seen to be missing. */
  const missing = new Map<string, number>();

  const missingSince = (): ReadonlyMap<string, number> => {
    const nodes = informers.reader(Nodes);
    const now = clock.now();
    const names = new Set(
      informers
        .reader(Pods)
        .list()
        .map((pod) => pod.spec.nodeName ?? ''),
    );
    for (const name of missing.keys()) if (nodes.get(name) || !names.has(name)) missing.delete(name);
    for (const name of names) if (name !== '' && !nodes.get(name) && !missing.has(name)) missing.set(name, now);
    return missing;
  };

  return {
    name: 'pod-garbage-collector',
    watches: [watch(Pods, () => []), watch(Nodes, () => [])],
    initialKeys: [ALL],
    reconcile: async (_, signal) => {
      const since = missingSince();
      const now = clock.now();
      const isGone = (name: string): boolean => now - (since.get(name) ?? now) >= options.orphanQuarantine;
      const garbage = collectablePods(informers.reader(Pods).list(), isGone, options.terminatedPodLimit);
      await inParallel([...garbage], ([pod, why]) => collect(deps, pod, why, signal), SEVERAL).catch(() => undefined);
      return { requeueAfter: options.podCollectionPeriod };
    },
  };
}

async function collect(deps: ControlPlaneDeps, pod: Pod, why: Garbage, signal: AbortSignal): Promise<void> {
  const { client, clock } = deps;
  const { name, namespace, uid } = pod.metadata;
  try {
    if (why === 'orphaned') {
      // The cache may be behind: a node that does exist keeps its pods.
      const found = await client.get(Nodes, { name: pod.spec.nodeName ?? '' }, signal).catch(ignoreNotFound);
      if (found !== undefined) return;
      const reason = 'DeletionByPodGC';
      const message = 'PodGC: node no longer exists';
      const phase = isTerminal(pod) ? pod.status?.phase : 'Failed';
      await markDisrupted(client, pod, { reason, message, phase }, clock.now(), signal);
    }
    await client.delete(Pods, { name, namespace }, { gracePeriodSeconds: 0, preconditions: { uid } }, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
