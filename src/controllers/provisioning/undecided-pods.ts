import type { Pod } from '../../kube/objects.ts';
import { isVirtualPod } from '../../scheduling/buffers/virtual-pods.ts';
import type { Results } from '../../scheduling/types.ts';

interface Wait {
  readonly pod: Pod;
  /** Passes in a row that ended before its turn. */
  readonly missed: number;
  /** An earlier pass has found a place for it, or none. */
  readonly decided: boolean;
}

/** A pod that no pass has come to yet. */
export interface UndecidedPod {
  readonly pod: Pod;
  /** Its place in the next pass, from 1, among so many that this one has not reached. */
  readonly place: number;
  readonly of: number;
}

/**
 * Pods that passes ended before, so that the next one begins with them: without this, whoever comes last in the queue could
 * wait for ever.
 */
export class UndecidedPods {
  #waiting: ReadonlyMap<string, Wait> = new Map();
  #decided: ReadonlySet<string> = new Set();

  /** For `ScheduleOptions.passesMissed`. */
  readonly passesMissed = (pod: Pod): number => this.#waiting.get(uidOf(pod))?.missed ?? 0;

  /** Takes in what a pass has decided; answers the pods that no pass has come to so far. */
  record(results: Results): readonly UndecidedPod[] {
    const [waitedBefore, decidedBefore] = [this.#waiting, this.#decided];
    const waiting = results.notReached.map((pod): Wait => {
      const { missed = 0 } = waitedBefore.get(uidOf(pod)) ?? {};
      return { pod, missed: missed + 1, decided: decidedBefore.has(uidOf(pod)) };
    });
    this.#waiting = new Map(waiting.map((wait) => [uidOf(wait.pod), wait]));
    const stillDecided = waiting.filter((wait) => wait.decided).map(({ pod }) => pod);
    this.#decided = new Set([...decidedPods(results), ...stillDecided].map(uidOf));
    return waiting.flatMap((wait, index) =>
      isUndecided(wait) ? [{ pod: wait.pod, place: index + 1, of: waiting.length }] : [],
    );
  }
}

const isUndecided = ({ pod, decided }: Wait): boolean => !decided && !isVirtualPod(pod);

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

function decidedPods({ podErrors, rejected, newNodeClaims, existingNodes }: Results): readonly Pod[] {
  const placed = [...newNodeClaims, ...existingNodes].flatMap(({ pods }) => pods);
  return [...podErrors.keys(), ...(rejected?.keys() ?? []), ...placed];
}
