/** PodDisruptionBudgets as disruption reads them (karpenter-core.md 6.4, upstream's pkg/utils/pdb). */
import type { Pod, PodDisruptionBudget } from '../kube/objects.ts';
import { type LabelMatcher, lenientMatcher } from '../kube/selectors.ts';
import { isDisruptable, isEvictable, isReschedulable } from './pod-lifecycle.ts';

/** Why a pod can't be evicted: the PDBs concerned; two or more when the eviction API refuses for their number. */
export interface EvictionBlock {
  readonly pod: Pod;
  readonly budgets: readonly PodDisruptionBudget[];
}

function isFullyBlocking(pdb: PodDisruptionBudget): boolean {
  const { maxUnavailable, minAvailable } = pdb.spec;
  return maxUnavailable === 0 || maxUnavailable === '0%' || minAvailable === '100%';
}

function isUnready(pod: Pod): boolean {
  return (pod.status?.conditions ?? []).some((c) => c.type === 'Ready' && c.status === 'False');
}

/** All PDBs of a cluster, by namespace. */
export class PdbLimits {
  readonly #byNamespace: ReadonlyMap<string, readonly { pdb: PodDisruptionBudget; matches: LabelMatcher }[]>;

  /** A PDB whose selector can't be read protects nothing, as in the eviction API. */
  constructor(budgets: Iterable<PodDisruptionBudget>) {
    this.#byNamespace = Map.groupBy(
      [...budgets].map((pdb) => ({ pdb, matches: lenientMatcher(pdb.spec.selector) })),
      ({ pdb }) => pdb.metadata.namespace ?? '',
    );
  }

  /** The first of `pods` that its PDB (or their number) keeps from being evicted now. */
  firstBlocked(pods: readonly Pod[], now: number): EvictionBlock | undefined {
    for (const pod of pods) {
      const budgets = this.#blocking(pod, now, (pdb) => (pdb.status?.disruptionsAllowed ?? 0) === 0);
      if (budgets.length > 0) return { pod, budgets };
    }
    return undefined;
  }

  /**
   * Whether the pod will move when its node goes: reschedulable, not protected, and no PDB that can never allow it.
   * Capacity is not made ahead for pods that can't be evicted anyway.
   */
  isCurrentlyReschedulable(pod: Pod, now: number): boolean {
    return isReschedulable(pod) && isDisruptable(pod, now) && this.#blocking(pod, now, isFullyBlocking).length === 0;
  }

  /** The PDB that the pod's eviction counts against. */
  charged(pod: Pod, now: number): PodDisruptionBudget | undefined {
    return this.#blocking(pod, now, () => true)[0];
  }

  #blocking(pod: Pod, now: number, blocks: (pdb: PodDisruptionBudget) => boolean): readonly PodDisruptionBudget[] {
    const candidates = this.#byNamespace.get(pod.metadata.namespace ?? '');
    if (!candidates || !isEvictable(pod, now)) return [];
    const matching = candidates.filter(({ matches }) => matches(pod.metadata.labels)).map(({ pdb }) => pdb);
    if (matching.length > 1) return matching;
    return matching.filter(
      (pdb) => !(pdb.spec.unhealthyPodEvictionPolicy === 'AlwaysAllow' && isUnready(pod)) && blocks(pdb),
    );
  }
}
