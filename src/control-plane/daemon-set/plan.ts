import type { DaemonSet, Node, Pod } from '../../kube/objects.ts';
import { isReady, isTerminal, isTerminating } from '../../kube/pods.ts';
import { nonZero } from '../counts.ts';
import { isAvailable } from '../pod-state.ts';
import type { NewEvent } from '../recorder.ts';
import { REVISION_HASH } from '../revisions/plan.ts';
import { type Placement, placementOf } from './placement.ts';
import { targetNode } from './pod.ts';
import { rollOut, surgeLimit } from './rolling-update.ts';

export interface DaemonSetView {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** Those that the DaemonSet controls. */
  readonly pods: readonly Pod[];
  /** The hash label of up-to-date pods. */
  readonly hash: string;
}

export interface DaemonSetPlan {
  /** Names of nodes that need a pod. */
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
  readonly events: readonly NewEvent[];
}

/** One daemon per node, no daemon elsewhere, and at rest one step of the rolling update. */
export function planDaemonSet(view: DaemonSetView, now: number): DaemonSetPlan {
  const { set, nodes } = view;
  const byNode = podsByNode(view.pods);
  const place = placementOf(set);
  const placements = new Map(nodes.map((node) => [node.metadata.name, place(node)]));
  const create: string[] = [];
  const remove: Pod[] = [];
  const events: NewEvent[] = [];
  for (const [node, placement] of placements) {
    const pods = byNode.get(node) ?? [];
    if (placement === 'run' && pods.length === 0) create.push(node);
    else if (placement === 'leave') remove.push(...pods.filter((pod) => !isTerminating(pod)));
    else remove.push(...superfluous(view, node, pods, events, now));
  }
  // Pods that wait for a node that has gone; those that were on it are pod garbage collection's.
  for (const [node, pods] of byNode) {
    if (!placements.has(node)) remove.push(...pods.filter((pod) => !pod.spec.nodeName && !isTerminating(pod)));
  }
  if (create.length > 0 || remove.length > 0) return { create, remove, events };
  return { ...rollOut(view, byNode, (node) => placements.get(node) ?? 'leave', now), events };
}

function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNode(pod);
    if (node === undefined || (isTerminal(pod) && isTerminating(pod))) continue;
    const list = byNode.get(node);
    if (list) list.push(pod);
    else byNode.set(node, [pod]);
  }
  return byNode;
}

function superfluous(
  view: DaemonSetView,
  node: string,
  pods: readonly Pod[],
  events: NewEvent[],
  now: number,
): readonly Pod[] {
  const remaining = pods.filter((pod) => !isTerminating(pod));
  const finished = remaining.filter(isTerminal);
  for (const pod of finished) events.push(finishedEvent(pod, node));
  const running = remaining.filter((pod) => !isTerminal(pod)).sort(boundThenOldest);
  if (running.length <= 1) return finished;
  if (surgeLimit(view.set, view.nodes.length) === 0) return [...finished, ...running.slice(1)];
  const fresh = running.find((pod) => isUpdated(pod, view.hash));
  const stale = running.find((pod) => !isUpdated(pod, view.hash));
  if (!fresh || !stale) return finished;
  const replaced = !isReady(stale) || isAvailable(fresh, view.set.spec.minReadySeconds ?? 0, now);
  return replaced ? [...finished, stale] : finished;
}

function finishedEvent(pod: Pod, node: string): NewEvent {
  return pod.status?.phase === 'Failed'
    ? {
        type: 'Warning',
        reason: 'FailedDaemonPod',
        message: `Found failed daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${node}, will try to kill it`,
      }
    : {
        type: 'Normal',
        reason: 'SucceededDaemonPod',
        message: `Found succeeded daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${node}, will try to delete it`,
      };
}

function isUpdated(pod: Pod, hash: string): boolean {
  return pod.metadata.labels?.[REVISION_HASH] === hash;
}

function boundThenOldest(a: Pod, b: Pod): number {
  const bound = Number(Boolean(b.spec.nodeName)) - Number(Boolean(a.spec.nodeName));
  if (bound !== 0) return bound;
  const age = Date.parse(a.metadata.creationTimestamp ?? '') - Date.parse(b.metadata.creationTimestamp ?? '');
  return age || (a.metadata.name < b.metadata.name ? -1 : 1);
}

export function daemonSetStatus(view: DaemonSetView, now: number): Readonly<Record<string, unknown>> {
  const { set, hash } = view;
  const byNode = podsByNode(view.pods);
  const place: (node: Node) => Placement = placementOf(set);
  const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, updated: 0, available: 0 };
  for (const node of view.nodes) {
    const pods = [...(byNode.get(node.metadata.name) ?? [])].sort(boundThenOldest);
    const pod = pods[0];
    if (place(node) !== 'run') {
      if (pod) counts.misscheduled++;
      continue;
    }
    counts.desired++;
    if (!pod) continue;
    counts.current++;
    if (isReady(pod)) counts.ready++;
    if (isAvailable(pod, set.spec.minReadySeconds ?? 0, now)) counts.available++;
    if (isUpdated(pod, hash)) counts.updated++;
  }
  return {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    ...nonZero({
      updatedNumberScheduled: counts.updated,
      numberAvailable: counts.available,
      numberUnavailable: counts.desired - counts.available,
    }),
    observedGeneration: set.metadata.generation,
    ...(set.status?.collisionCount === undefined ? {} : { collisionCount: set.status.collisionCount }),
  };
}
