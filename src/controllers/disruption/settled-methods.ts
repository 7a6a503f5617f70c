import type { MethodName, MethodResult, Survey } from '../../disruption/index.ts';
import type { PodDisruptionBudget } from '../../kube/objects.ts';
import type { Reader } from '../../kube/store.ts';
import type { ControllerContext } from '../context.ts';

type Deps = Pick<ControllerContext, 'cluster'> & {
  readonly podDisruptionBudgets: Pick<Reader<PodDisruptionBudget>, 'list'>;
};

type Seen = Pick<Survey, 'method' | 'candidates' | 'budgets' | 'ranking'>;
type Found = Pick<MethodResult, 'method' | 'constrainedByBudgets' | 'timedOut' | 'moves'>;

/** What a method depends on. */
interface State {
  /** Differs whenever a method that looked at all its candidates and found nothing may find something. */
  readonly all: string;
  /** Differs as well when the budgets let it look at others of them. */
  readonly within: string;
}

/** Drift is looked at every time, as upstream does: nothing but its own candidates keeps it from finding something. */
const SETTLES: ReadonlySet<MethodName> = new Set(['Emptiness', 'MultiNodeConsolidation', 'SingleNodeConsolidation']);

/**
 * Which methods need not look at their candidates again, because nothing has changed since they found nothing among them
 * (karpenter-core.md 7.3.3). On top of upstream's consolidation state it knows of other candidates, and of PDBs. Upstream looks again
 * every time where budgets kept a method from some of its candidates: that finds nothing either while they allow the same.
 */
export class SettledMethods {
  readonly #deps: Deps;
  /** For each method, the state of the cluster in which it found nothing. */
  readonly #states = new Map<MethodName, string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  has(seen: Seen): boolean {
    const noted = this.#states.get(seen.method);
    if (noted === undefined) return false;
    const { all, within } = this.state(seen);
    return noted === all || noted === within;
  }

  /** Notes that a method found nothing in `state`, if that will hold until something changes. */
  note({ method, constrainedByBudgets, timedOut, moves }: Found, { all, within }: State): void {
    if (!SETTLES.has(method) || timedOut) return;
    if (!constrainedByBudgets) this.#states.set(method, all);
    // A move that was weighed is counted each time.
    else if (moves.length === 0) this.#states.set(method, within);
  }

  state({ candidates, budgets: allowed, ranking }: Seen): State {
    const { cluster, podDisruptionBudgets } = this.#deps;
    const budgets = podDisruptionBudgets.list().map(({ metadata }) => metadata.resourceVersion);
    const all = [cluster.consolidationState(), candidates.join(), budgets.join()].join(' ');
    return { all, within: [all, ranking.join(), JSON.stringify(allowed)].join(' ') };
  }
}
