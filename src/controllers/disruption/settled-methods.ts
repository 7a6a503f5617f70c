import { CONSOLIDATABLE, DRIFTED } from '../../apis/condition-types.ts';
import type { BlockerCode, MethodName, MethodResult } from '../../disruption/index.ts';
import { conditionIsTrue } from '../../kube/conditions.ts';
import type { PodDisruptionBudget } from '../../kube/objects.ts';
import type { Reader } from '../../kube/store.ts';
import { stateNodeName } from '../../scheduling/state-node.ts';
import type { ControllerContext } from '../context.ts';

type Deps = Pick<ControllerContext, 'cluster' | 'clock'> & {
  readonly podDisruptionBudgets: Pick<Reader<PodDisruptionBudget>, 'list'>;
};

/** Reasons that time alone may take away. */
const PASSING: ReadonlySet<BlockerCode> = new Set(['DoNotDisruptPod', 'Budget', 'InQueue']);

/**
 * Which methods need not look again, because nothing has changed since they found nothing (karpenter-core.md 7.3.3). On top
 * of upstream's consolidation state it knows of nodes whose consolidateAfter or nomination has run out, and of PDBs.
 */
export class SettledMethods {
  readonly #deps: Deps;
  /** For each method, the state of the cluster in which it found nothing. */
  readonly #states = new Map<MethodName, string>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  has(method: MethodName): boolean {
    if (method === 'Drift' || method === 'StaticDrift') {
      return !this.#deps.cluster.nodes().some(({ nodeClaim }) => conditionIsTrue(nodeClaim, DRIFTED));
    }
    return this.#states.get(method) === this.state();
  }

  /** Notes that a method found nothing in `state`, if that will hold until something changes. */
  note({ method, constrainedByBudgets, timedOut, blocked }: MethodResult, state: string): void {
    if (constrainedByBudgets || timedOut) return;
    for (const blockers of blocked.values()) if (blockers.some(({ code }) => PASSING.has(code))) return;
    this.#states.set(method, state);
  }

  /** Differs whenever a method that found nothing may find something. */
  state(): string {
    const { cluster, clock, podDisruptionBudgets } = this.#deps;
    const now = clock.now();
    const idle = cluster
      .nodes()
      .filter(
        ({ nodeClaim, nominatedUntil = 0 }) => nominatedUntil <= now && conditionIsTrue(nodeClaim, CONSOLIDATABLE),
      )
      .map(stateNodeName)
      .sort();
    const budgets = podDisruptionBudgets.list().map(({ metadata }) => metadata.resourceVersion);
    return [cluster.consolidationState(), idle.join(), budgets.join()].join(' ');
  }
}
