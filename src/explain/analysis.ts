import { WELL_KNOWN_LABELS } from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';
import { DEFAULT_FEATURE_GATES, DEFAULT_OPTIONS, type FeatureGates } from '../operator/options.ts';
import { Scheduler, solve, solvePods } from '../scheduling/index.ts';
import type { Results, ScheduleOptions, World } from '../scheduling/types.ts';
import { notReachedErrors } from './not-reached.ts';
import type { Solve } from './solve.ts';

/** What a provider adds to the rules. */
export type ProviderRules = Pick<ScheduleOptions, 'wellKnownLabels'> &
  Partial<
    Pick<ScheduleOptions, 'restrictedLabelDomains' | 'reservationIDLabel' | 'wellKnownValues' | 'unsupportedVolumes'>
  > & { readonly wellKnownResources?: ReadonlySet<string> };

/** Those of the controller's gates that change what is planned. */
export type Gates = Pick<FeatureGates, 'ReservedCapacity' | 'SpotToSpotConsolidation' | 'StaticCapacity'>;

/** What the controller was told about soft rules and minValues. */
export type Policies = Pick<ScheduleOptions, 'preferencePolicy' | 'minValuesPolicy'>;

/** The controller's questions, asked of one frozen world. */
export class Analysis {
  readonly world: World;
  /** Every label key that an instance type may define. */
  readonly wellKnown: ReadonlySet<string>;
  readonly gates: Gates;
  readonly #rules: ProviderRules;
  readonly #policies: Policies;
  readonly #options: ScheduleOptions;

  constructor(
    world: World,
    rules: ProviderRules,
    gates: Gates = DEFAULT_FEATURE_GATES,
    { preferencePolicy, minValuesPolicy }: Policies = DEFAULT_OPTIONS,
  ) {
    this.world = world;
    this.gates = gates;
    this.#rules = rules;
    this.#policies = { preferencePolicy, minValuesPolicy };
    this.wellKnown = new Set([...WELL_KNOWN_LABELS, ...rules.wellKnownLabels]);
    this.#options = {
      ...this.#policies,
      ignoreDRARequests: true,
      reservedCapacity: gates.ReservedCapacity,
      ...rules,
      reservedOfferingMode: 'Strict',
      enforceConsolidateAfter: false,
      reasons: false,
    };
  }

  /** The same questions asked of another world. */
  of(world: World): Analysis {
    return new Analysis(world, this.#rules, this.gates, this.#policies);
  }

  /** The options of a provisioning pass; disruption changes the two that it must. */
  get scheduleOptions(): ScheduleOptions {
    return this.#options;
  }

  /**
   * One provisioning pass over everything that waits. Pods that were refused, or that the pass did not reach before
   * `expired`, are among the errors.
   */
  plan(reasons: boolean, expired?: () => boolean): Results {
    const results = solve(this.world, 'provisionable', { ...this.#options, reasons, ...(expired ? { expired } : {}) });
    const more = [...(results.rejected ?? []), ...notReachedErrors(results)];
    return more.length === 0 ? results : { ...results, podErrors: new Map([...results.podErrors, ...more]) };
  }

  /** The packer on any world and pods, with these options. Pods that are refused before the pass are among the errors. */
  readonly solve: Solve = (world, pods, reasons) => {
    const only = typeof reasons === 'boolean' ? {} : { reasonsFor: reasons };
    const scheduler = new Scheduler(world, { ...this.#options, reasons: reasons !== false, ...only });
    const { rejected } = scheduler.pendingPods();
    const results = solvePods(
      scheduler,
      pods.filter((pod) => !rejected.has(pod)),
    );
    const refused = pods.flatMap((pod) => {
      const error = rejected.get(pod);
      return error ? [[pod, error] as const] : [];
    });
    return refused.length === 0 ? results : { ...results, podErrors: new Map([...results.podErrors, ...refused]) };
  };

  /** Pods that a pass would find a place for: those that wait, the refused ones too, and those on nodes that go away. */
  pending(): readonly Pod[] {
    const scheduler = new Scheduler(this.world, this.#options);
    const { pods, rejected } = scheduler.pendingPods();
    return [...pods, ...scheduler.deletingNodePods(), ...rejected.keys()];
  }
}
