import type { Clock } from '../../kube/clock.ts';
import type { Pod } from '../../kube/objects.ts';
import type { Metrics, Series } from '../../metrics/metrics.ts';
import { isVirtualPod } from '../../scheduling/buffers/virtual-pods.ts';
import type { Results } from '../../scheduling/types.ts';

interface Deps {
  readonly clock: Pick<Clock, 'now'>;
  readonly metrics: Pick<Metrics, 'collect' | 'observe'>;
}

interface Wait {
  readonly pod: Pod;
  /** Epoch milliseconds of the first pass that it was in. */
  readonly since: number;
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
 * wait for ever. Also measures how long pods wait for any answer (karpenter-core.md 11.2.15, 11.4.25).
 */
export class UndecidedPods {
  readonly #deps: Deps;
  #waiting: ReadonlyMap<string, Wait> = new Map();
  #decided: ReadonlySet<string> = new Set();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.metrics.collect(() => ({ pods_provisioning_scheduling_undecided_time_seconds: this.#series() }));
  }

  /** For `ScheduleOptions.passesMissed`. */
  readonly passesMissed = (pod: Pod): number => this.#waiting.get(uidOf(pod))?.missed ?? 0;

  /** Takes in what a pass that began at `start` has decided; answers the pods that no pass has come to so far. */
  record(results: Results, start: number): readonly UndecidedPod[] {
    const [waitedBefore, decidedBefore] = [this.#waiting, this.#decided];
    const decided = decidedPods(results);
    for (const pod of decided) {
      if (isVirtualPod(pod) || decidedBefore.has(uidOf(pod))) continue;
      const { since } = waitedBefore.get(uidOf(pod)) ?? { since: start };
      this.#deps.metrics.observe('pods_scheduling_decision_duration_seconds', (this.#deps.clock.now() - since) / 1000);
    }
    const waiting = results.notReached.map((pod): Wait => {
      const { since = start, missed = 0 } = waitedBefore.get(uidOf(pod)) ?? {};
      return { pod, since, missed: missed + 1, decided: decidedBefore.has(uidOf(pod)) };
    });
    this.#waiting = new Map(waiting.map((wait) => [uidOf(wait.pod), wait]));
    this.#decided = new Set([...decided, ...waiting.filter((wait) => wait.decided).map(({ pod }) => pod)].map(uidOf));
    return waiting.flatMap((wait, index) =>
      isUndecided(wait) ? [{ pod: wait.pod, place: index + 1, of: waiting.length }] : [],
    );
  }

  #series(): Series[] {
    const now = this.#deps.clock.now();
    return [...this.#waiting.values()].filter(isUndecided).map(({ pod: { metadata }, since }) => ({
      labels: { name: metadata.name, namespace: metadata.namespace ?? '' },
      value: (now - since) / 1000,
    }));
  }
}

const isUndecided = ({ pod, decided }: Wait): boolean => !decided && !isVirtualPod(pod);

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

function decidedPods({ podErrors, rejected, newNodeClaims, existingNodes }: Results): readonly Pod[] {
  const placed = [...newNodeClaims, ...existingNodes].flatMap(({ pods }) => pods);
  return [...podErrors.keys(), ...(rejected?.keys() ?? []), ...placed];
}
