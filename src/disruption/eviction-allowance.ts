import type { PodDisruptionBudget } from '../kube/objects.ts';
import type { Candidate } from './candidate.ts';
import type { WorldIndex } from './world-index.ts';

/**
 * What PodDisruptionBudgets allow to evict now, shared by the nodes of one command. A node by itself may need more than is
 * allowed, since its pods are evicted one after the other; nodes that would wait for each other are not taken together.
 */
export class EvictionAllowance {
  readonly #index: WorldIndex;
  readonly #used = new Map<PodDisruptionBudget, number>();

  constructor(index: WorldIndex) {
    this.#index = index;
  }

  /** Takes what the candidate's pods need, if the nodes before it have left that. */
  take(candidate: Candidate): boolean {
    const { pdbs, world } = this.#index;
    const wanted = new Map<PodDisruptionBudget, number>();
    for (const pod of candidate.pods) {
      const pdb = pdbs.charged(pod, world.now);
      if (pdb) wanted.set(pdb, (wanted.get(pdb) ?? 0) + 1);
    }
    for (const [pdb, count] of wanted) {
      const used = this.#used.get(pdb) ?? 0;
      if (used > 0 && used + count > (pdb.status?.disruptionsAllowed ?? 0)) return false;
    }
    for (const [pdb, count] of wanted) this.#used.set(pdb, (this.#used.get(pdb) ?? 0) + count);
    return true;
  }
}
