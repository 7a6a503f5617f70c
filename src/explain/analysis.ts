import type { Pod } from '../kube/objects.ts';
import { WELL_KNOWN_LABELS } from '../apis/labels.ts';
import { Scheduler, solve } from '../scheduling/index.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { Results, ScheduleOptions, StateNode, World } from '../scheduling/types.ts';
import type { Solve } from './solve.ts';

/** What a provider adds to the rules. */
export type ProviderRules = Pick<ScheduleOptions, 'wellKnownLabels'> &
  Partial<Pick<ScheduleOptions, 'restrictedLabelDomains' | 'reservationIDLabel'>>;

/** The choices that an operator of the controller has. */
export type Policies = Pick<ScheduleOptions, 'preferencePolicy' | 'minValuesPolicy' | 'ignoreDRARequests' | 'reservedCapacity'>;

export const DEFAULT_POLICIES: Policies = {
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  ignoreDRARequests: true,
  reservedCapacity: true,
};

/** The controller's questions, asked of one frozen world. */
export class Analysis {
  readonly world: World;
  /** Every label key that an instance type may define. */
  readonly wellKnown: ReadonlySet<string>;
  readonly #options: ScheduleOptions;

  constructor(world: World, rules: ProviderRules, policies: Policies = DEFAULT_POLICIES) {
    this.world = world;
    this.wellKnown = new Set([...WELL_KNOWN_LABELS, ...rules.wellKnownLabels]);
    this.#options = {
      ...policies,
      ...rules,
      reservedOfferingMode: 'Strict',
      enforceConsolidateAfter: false,
      reasons: false,
    };
  }

  /** The options of a provisioning pass; disruption changes the two that it must. */
  get scheduleOptions(): ScheduleOptions {
    return this.#options;
  }

  /** One provisioning pass over everything that waits. Refused pods are among the errors. */
  plan(reasons: boolean): Results {
    const results = solve(this.world, 'provisionable', { ...this.#options, reasons });
    if (!results.rejected || results.rejected.size === 0) return results;
    return { ...results, podErrors: new Map([...results.podErrors, ...results.rejected]) };
  }

  /** The packer on any world and pods, with these options. */
  readonly solve: Solve = (world, pods, reasons) => solve(world, pods, { ...this.#options, reasons });

  /** Pods that wait for a node now. */
  pending(): readonly Pod[] {
    return new Scheduler(this.world, this.#options).pendingPods().pods;
  }

  /** Packing as if some nodes were gone, as disruption asks for it; what runs share is prepared once. */
  simulator(): (without: readonly StateNode[], enforceConsolidateAfter: boolean) => Results {
    const scheduler = new Scheduler(this.world, { ...this.#options, reservedOfferingMode: 'Fallback' });
    const waiting = [...scheduler.pendingPods().pods, ...scheduler.deletingNodePods()];
    return (without, enforceConsolidateAfter) => {
      const names = new Set(without.map(stateNodeName));
      const nodeNames = new Set(without.flatMap(({ node }) => (node ? [node.metadata.name] : [])));
      const pods = [...waiting, ...scheduler.reschedulablePods((name) => nodeNames.has(name))];
      return scheduler.solve({ pods, excludedNodes: names, options: { enforceConsolidateAfter } });
    };
  }
}
