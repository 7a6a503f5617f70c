import type { NodePool } from '../../apis/node-pool.ts';
import { budgetProblem } from '../../disruption/index.ts';
import type { Clock } from '../../kube/clock.ts';
import type { Logger } from '../../logging/logger.ts';

const STANDSTILL_MS = 900_000;

/**
 * What whoever runs the controller should see in its log: budgets that can't be read, which close their pools, and stages of
 * disruption that have not run for a quarter of an hour (karpenter-core.md 7.1.2, 7.1.5).
 */
export class Concerns {
  readonly #deps: { readonly clock: Pick<Clock, 'now'>; readonly log: Logger };
  readonly #lastRuns = new Map<string, number>();
  #problems = '';

  constructor(deps: { readonly clock: Pick<Clock, 'now'>; readonly log: Logger }) {
    this.#deps = deps;
  }

  /** Told once, and again when it is something else. */
  budgets(nodePools: readonly NodePool[]): void {
    const problems = nodePools
      .flatMap((nodePool) => {
        const problem = budgetProblem(nodePool);
        return problem === undefined
          ? []
          : [`invalid disruption budgets in nodepool ${nodePool.metadata.name}, ${problem}`];
      })
      .join('; ');
    if (problems !== '' && problems !== this.#problems) {
      this.#deps.log.error('detected disruption budget errors', new Error(problems));
    }
    this.#problems = problems;
  }

  /** A stage runs now; until it does again, the time is taken. */
  runs(stage: string): void {
    const { clock, log } = this.#deps;
    const now = clock.now();
    const since = now - (this.#lastRuns.get(stage) ?? now);
    if (since > STANDSTILL_MS) log.debug('abnormal time between runs', { name: stage, time_since: `${since / 1000}s` });
    this.#lastRuns.set(stage, now);
  }
}
