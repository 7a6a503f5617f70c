import type { MethodName, MethodResult } from '../../disruption/index.ts';
import type { PodDisruptionBudget } from '../../kube/objects.ts';
import type { Reader } from '../../kube/store.ts';
import type { ControllerContext } from '../context.ts';

type Deps = Pick<ControllerContext, 'cluster'> & {
  readonly podDisruptionBudgets: Pick<Reader<PodDisruptionBudget>, 'list'>;
};

type Found = Pick<MethodResult, 'method' | 'candidates' | 'constrainedByBudgets' | 'timedOut'>;

/** Drift is looked at every time, as upstream does: nothing but its own candidates keeps it from finding something. */
const SETTLES: ReadonlySet<MethodName> = new Set(['Emptiness', 'MultiNodeConsolidation', 'SingleNodeConsolidation']);

/**
 * Which methods need not look at their candidates again, because nothing has changed since they found nothing among them
 * (karpenter-core.md 7.3.3). On top of upstream's consolidation state it knows of other candidates, and of PDBs.
 */
export class SettledMethods {
  readonly #deps: Deps;
  /** For each method, the state of the cluster in which it found nothing. */
  readonly #states = new Map<MethodName, string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  has(found: Pick<Found, 'method' | 'candidates'>): boolean {
    return this.#states.get(found.method) === this.state(found);
  }

  /** Notes that a method found nothing in `state`, if that will hold until something changes. */
  note({ method, constrainedByBudgets, timedOut }: Found, state: string): void {
    if (SETTLES.has(method) && !constrainedByBudgets && !timedOut) this.#states.set(method, state);
  }

  /** Differs whenever a method that found nothing may find something. */
  state({ candidates }: Pick<Found, 'candidates'>): string {
    const { cluster, podDisruptionBudgets } = this.#deps;
    const budgets = podDisruptionBudgets.list().map(({ metadata }) => metadata.resourceVersion);
    return [cluster.consolidationState(), candidates.join(), budgets.join()].join(' ');
  }
}
