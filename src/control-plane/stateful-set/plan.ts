import type { PersistentVolumeClaim, Pod, PodTemplateSpec, StatefulSet } from '../../kube/objects.ts';
import { isReady, isTerminal, isTerminating } from '../../kube/pods.ts';
import { isAvailable } from '../pod-state.ts';
import { REVISION_HASH } from '../revisions/plan.ts';
import { claimsOf, ordinalOf, statefulPod } from './pod.ts';

export interface StatefulSetView {
  readonly set: StatefulSet;
  /** Those that the set controls. */
  readonly pods: readonly Pod[];
  /** The claims of the set's namespace. */
  readonly claims: readonly PersistentVolumeClaim[];
  /** Names of the ControllerRevisions of the rollout's start and end, and the template of the former. */
  readonly currentRevision: string;
  readonly currentTemplate: PodTemplateSpec;
  readonly updateRevision: string;
}

export interface StatefulSetPlan {
  /** To be created before the pods. */
  readonly claims: readonly PersistentVolumeClaim[];
  readonly create: readonly Pod[];
  readonly remove: readonly Pod[];
}

/** The pods of the set by ordinal, and those that are too many, highest ordinal first. */
export interface Roster {
  readonly ordinals: readonly number[];
  readonly members: ReadonlyMap<number, Pod>;
  readonly condemned: readonly Pod[];
}

export function rosterOf(set: StatefulSet, pods: readonly Pod[]): Roster {
  const start = set.spec.ordinals?.start ?? 0;
  const ordinals = Array.from({ length: set.spec.replicas ?? 1 }, (_, index) => start + index);
  const wanted = new Set(ordinals);
  const members = new Map<number, Pod>();
  const condemned: (readonly [number, Pod])[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    if (wanted.has(ordinal)) members.set(ordinal, pod);
    else condemned.push([ordinal, pod]);
  }
  return { ordinals, members, condemned: condemned.sort(([a], [b]) => b - a).map(([, pod]) => pod) };
}

/**
 * The next step (upstream's updateStatefulSet): pods come in order, each after the one before is available; they go in
 * reverse order; then the rolling update takes them from the highest ordinal down. Parallel sets don't wait when scaling.
 */
export function planStatefulSet(view: StatefulSetView, now: number): StatefulSetPlan {
  const { set } = view;
  const nothing: StatefulSetPlan = { claims: [], create: [], remove: [] };
  if (isTerminating(set)) return nothing;
  const roster = rosterOf(set, view.pods);
  const parallel = set.spec.podManagementPolicy === 'Parallel';
  const filled = fill(view, roster, parallel, now);
  if (filled.blocked) return filled.plan;
  const condemned = condemn(view, roster, parallel, now);
  const remove = [...filled.plan.remove, ...condemned.remove];
  const plan = { ...filled.plan, remove };
  if (condemned.blocked || plan.create.length > 0 || remove.length > 0) return plan;
  return { ...plan, remove: updateNext(view, roster) };
}

interface Step {
  readonly plan: StatefulSetPlan;
  /** An ordered set goes no further for now. */
  readonly blocked: boolean;
}

function fill(view: StatefulSetView, roster: Roster, parallel: boolean, now: number): Step {
  const { set } = view;
  const existing = new Set(view.claims.map((claim) => claim.metadata.name));
  const claims: PersistentVolumeClaim[] = [];
  const create: Pod[] = [];
  const remove: Pod[] = [];
  const plan = { claims, create, remove };
  for (const ordinal of roster.ordinals) {
    const pod = roster.members.get(ordinal);
    if (pod === undefined) {
      claims.push(...claimsOf(set, ordinal).filter((claim) => !existing.has(claim.metadata.name)));
      create.push(newPod(view, ordinal));
      if (!parallel) return { plan, blocked: true };
    } else if (isTerminal(pod)) {
      if (!isTerminating(pod)) remove.push(pod);
      if (!parallel) return { plan, blocked: true };
    } else if (!parallel && (isTerminating(pod) || !isAvailable(pod, set.spec.minReadySeconds ?? 0, now))) {
      return { plan, blocked: true };
    }
  }
  return { plan, blocked: false };
}

function condemn(
  view: StatefulSetView,
  roster: Roster,
  parallel: boolean,
  now: number,
): { readonly remove: readonly Pod[]; readonly blocked: boolean } {
  const remove: Pod[] = [];
  const minReady = view.set.spec.minReadySeconds ?? 0;
  const firstUnhealthy = [...roster.condemned].reverse().find((pod) => !isHealthy(pod));
  for (const pod of roster.condemned) {
    if (isTerminating(pod)) {
      if (!parallel) return { remove, blocked: true };
      continue;
    }
    if (!parallel && !isAvailable(pod, minReady, now) && pod !== firstUnhealthy) return { remove, blocked: true };
    remove.push(pod);
    if (!parallel) return { remove, blocked: true };
  }
  return { remove, blocked: false };
}

/** The highest ordinal that is out of date, once all above it are healthy. */
function updateNext(view: StatefulSetView, roster: Roster): readonly Pod[] {
  const { set } = view;
  if (set.spec.updateStrategy?.type === 'OnDelete') return [];
  const first = (set.spec.ordinals?.start ?? 0) + (set.spec.updateStrategy?.rollingUpdate?.partition ?? 0);
  for (const ordinal of [...roster.ordinals].reverse()) {
    if (ordinal < first) return [];
    const pod = roster.members.get(ordinal);
    if (pod === undefined) return [];
    if (revisionOf(pod) !== view.updateRevision && !isTerminating(pod)) return [pod];
    if (!isHealthy(pod)) return [];
  }
  return [];
}

function newPod(view: StatefulSetView, ordinal: number): Pod {
  const { set } = view;
  const strategy = set.spec.updateStrategy;
  const start = set.spec.ordinals?.start ?? 0;
  const status = (set.status ?? {}) as { readonly currentReplicas?: number };
  const partition = strategy?.rollingUpdate?.partition ?? 0;
  const kept = strategy?.type === 'OnDelete' ? 0 : partition > 0 ? partition : (status.currentReplicas ?? 0);
  return ordinal < start + kept
    ? statefulPod(set, view.currentTemplate, ordinal, view.currentRevision)
    : statefulPod(set, set.spec.template, ordinal, view.updateRevision);
}

export function revisionOf(pod: Pod): string | undefined {
  return pod.metadata.labels?.[REVISION_HASH];
}

function isHealthy(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && isReady(pod) && !isTerminating(pod);
}
