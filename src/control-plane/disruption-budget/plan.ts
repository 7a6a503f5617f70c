import { findCondition } from '../../kube/conditions.ts';
import type { Condition, Pod, PodDisruptionBudget } from '../../kube/objects.ts';
import { isReady, isTerminating } from '../../kube/pods.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import { scaledValue } from '../int-or-percent.ts';

type PdbStatus = NonNullable<PodDisruptionBudget['status']>;

/** A pod whose eviction was granted must be gone after so long; else it counts as healthy again. */
const DELETION_TIMEOUT = 120_000;

export interface BudgetView {
  readonly pdb: PodDisruptionBudget;
  readonly pods: readonly Pod[];
  /** The sum of the sizes of the pods' controllers, or why it can't be told. */
  readonly expectedScale: number | { readonly failure: string };
}

export interface BudgetPlan {
  readonly status: PdbStatus;
  /** Milliseconds until a disrupted pod's entry runs out. */
  readonly again: number | undefined;
}

/** Whether the PDB's numbers depend on the size of the pods' controllers, as all but a plain minAvailable do. */
export function needsScale(pdb: PodDisruptionBudget): boolean {
  return pdb.spec.maxUnavailable !== undefined || typeof pdb.spec.minAvailable === 'string';
}

/** The status of a PDB (upstream's disruption controller). */
export function planBudget(view: BudgetView, now: number): BudgetPlan {
  const { pdb, pods, expectedScale } = view;
  if (needsScale(pdb) && typeof expectedScale !== 'number') {
    const failure = condition('False', 'SyncFailed', expectedScale.failure, pdb, now);
    return { status: { ...emptyStatus, ...pdb.status, disruptionsAllowed: 0, conditions: failure }, again: undefined };
  }
  const expected = needsScale(pdb) && typeof expectedScale === 'number' ? expectedScale : pods.length;
  const desired = desiredHealthy(pdb, expected);
  const disrupted = stillDisrupted(pdb, pods, now);
  const healthy = pods.filter((pod) => !isTerminating(pod) && !disrupted.has(pod.metadata.name) && isReady(pod)).length;
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - desired);
  const until = [...disrupted.values()].map((time) => Date.parse(time) + DELETION_TIMEOUT - now);
  return {
    status: {
      disruptionsAllowed: allowed,
      currentHealthy: healthy,
      desiredHealthy: desired,
      expectedPods: expected,
      observedGeneration: pdb.metadata.generation,
      ...(disrupted.size > 0 ? { disruptedPods: Object.fromEntries(disrupted) } : {}),
      conditions: condition(
        allowed > 0 ? 'True' : 'False',
        allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
        '',
        pdb,
        now,
      ),
    },
    again: until.length === 0 ? undefined : Math.max(0, Math.min(...until)),
  };
}

const emptyStatus = { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

function desiredHealthy(pdb: PodDisruptionBudget, expected: number): number {
  const { maxUnavailable, minAvailable } = pdb.spec;
  if (maxUnavailable !== undefined) return Math.max(0, expected - scaledValue(maxUnavailable, expected, 'up'));
  return scaledValue(minAvailable ?? 0, expected, 'up');
}

function stillDisrupted(pdb: PodDisruptionBudget, pods: readonly Pod[], now: number): ReadonlyMap<string, string> {
  const names = new Set(pods.filter((pod) => !isTerminating(pod)).map((pod) => pod.metadata.name));
  return new Map(
    Object.entries(pdb.status?.disruptedPods ?? {}).filter(
      ([name, time]) => names.has(name) && Date.parse(time) + DELETION_TIMEOUT >= now,
    ),
  );
}

function condition(
  status: Condition['status'],
  reason: string,
  message: string,
  pdb: PodDisruptionBudget,
  now: number,
): readonly Condition[] {
  const others = (pdb.status?.conditions ?? []).filter(({ type }) => type !== 'DisruptionAllowed');
  const old = findCondition(pdb, 'DisruptionAllowed');
  const lastTransitionTime = old?.status === status ? old.lastTransitionTime : formatTimestamp(now);
  const observedGeneration = pdb.metadata.generation;
  return [...others, { type: 'DisruptionAllowed', status, reason, message, lastTransitionTime, observedGeneration }];
}
