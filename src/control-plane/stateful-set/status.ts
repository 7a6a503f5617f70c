import type { StatefulSet } from '../../kube/objects.ts';
import { isReady, isTerminating } from '../../kube/pods.ts';
import { nonZero } from '../counts.ts';
import { isAvailable } from '../pod-state.ts';
import { revisionOf, rosterOf, type StatefulSetView } from './plan.ts';

/** Counts by revision; when all pods have the update revision and are ready it becomes the current one. */
export function statefulSetStatus(view: StatefulSetView, now: number): Readonly<Record<string, unknown>> {
  const { set } = view;
  const { members, condemned } = rosterOf(set, view.pods);
  const pods = [...members.values(), ...condemned];
  const settled = pods.filter((pod) => !isTerminating(pod));
  const ready = pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod));
  const available = ready.filter((pod) => isAvailable(pod, set.spec.minReadySeconds ?? 0, now));
  const current = settled.filter((pod) => revisionOf(pod) === view.currentRevision).length;
  const updated = settled.filter((pod) => revisionOf(pod) === view.updateRevision).length;
  const done = isRolloutDone(set, updated, pods.length, ready.length);
  return {
    observedGeneration: set.metadata.generation,
    replicas: pods.length,
    ...nonZero({
      readyReplicas: ready.length,
      currentReplicas: done ? updated : current,
      updatedReplicas: updated,
    }),
    availableReplicas: available.length,
    currentRevision: done ? view.updateRevision : view.currentRevision,
    updateRevision: view.updateRevision,
    collisionCount: (set.status?.collisionCount as number | undefined) ?? 0,
  };
}

function isRolloutDone(set: StatefulSet, updated: number, replicas: number, ready: number): boolean {
  const rolling = set.spec.updateStrategy?.type !== 'OnDelete';
  return rolling && updated === replicas && ready === replicas;
}
