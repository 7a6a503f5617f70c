import { WELL_KNOWN_LABELS } from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';
import { isVirtualPod } from './buffers/virtual-pods.ts';
import { cheaperOf, hasLostSpot } from './cheaper-packing.ts';
import { type Daemon, daemonsOf } from './daemons.ts';
import { MentionedKeys } from './mentioned-keys.ts';
import { usablePool } from './node-pool-templates.ts';
import { PdbLimits } from './pdb-limits.ts';
import { isProvisionable } from './pod-lifecycle.ts';
import { podProblem } from './pod-validation.ts';
import { type SchedulerState, schedulerState } from './scheduler-state.ts';
import { SchedulingRun, type SolveInput } from './scheduling-run.ts';
import type { PodError, Results, ScheduleOptions, World } from './types.ts';
import { unusablePools } from './unusable-pools.ts';
import { Volumes } from './volumes.ts';

/**
 * Upstream's scheduler on a frozen world. What runs share is prepared once: `solve` may be called any number of times, and
 * no run sees what another one decided.
 */
export class Scheduler {
  readonly #world: World;
  readonly #options: ScheduleOptions;
  readonly #mentioned = new MentionedKeys();
  readonly #known = new Set<Pod>();
  readonly #volumes: Volumes;
  readonly #wellKnown: ReadonlySet<string>;
  readonly #daemons: readonly Daemon[];
  #state: SchedulerState | undefined;
  #pdbs: PdbLimits | undefined;

  constructor(world: World, options: ScheduleOptions) {
    this.#world = world;
    this.#options = options;
    this.#wellKnown = new Set([...WELL_KNOWN_LABELS, ...options.wellKnownLabels]);
    this.#volumes = new Volumes(world, options.unsupportedVolumes);
    this.#daemons = daemonsOf(world, options.ignoreDRARequests, options.keepKnownFaults);
    this.#learn(world.pods);
  }

  /** Whether any pool may grow at all. */
  get hasPools(): boolean {
    return this.#world.pools.some(({ nodePool }) => usablePool(nodePool));
  }

  /** What is to be said to every pod when none may. */
  noPools(): PodError {
    const error: PodError = { code: 'NoNodePools', message: 'no dynamic nodepools found' };
    return this.#options.reasons ? { ...error, targets: unusablePools(this.#world.pools) } : error;
  }

  /** Pods that wait for a node and may be tried, and those that were refused (karpenter-core.md 3.4). */
  pendingPods(): { readonly pods: readonly Pod[]; readonly rejected: ReadonlyMap<Pod, PodError> } {
    const {
      restrictedLabelDomains = new Set(),
      wellKnownLabels,
      wellKnownValues = {},
      keepKnownFaults,
    } = this.#options;
    const rules = { restrictedLabelDomains, wellKnownLabels, wellKnownValues };
    const pods: Pod[] = [];
    const rejected = new Map<Pod, PodError>();
    for (const pod of this.#world.pods) {
      if (!isProvisionable(pod)) continue;
      const problem = keepKnownFaults && isVirtualPod(pod) ? undefined : podProblem(pod, this.#volumes, rules);
      if (problem) rejected.set(pod, problem);
      else pods.push(pod);
    }
    return { pods, rejected };
  }

  /** Pods on nodes that are going away, as far as they can move (karpenter-core.md 3.3.3). */
  deletingNodePods(): readonly Pod[] {
    const deleting = new Set(
      this.#world.nodes.flatMap(({ node, markedForDeletion }) =>
        node && markedForDeletion ? [node.metadata.name] : [],
      ),
    );
    if (deleting.size === 0) return [];
    return this.reschedulablePods((name) => deleting.has(name));
  }

  /** Pods on nodes of these names, as far as they can move now. */
  reschedulablePods(onNode: (nodeName: string) => boolean): readonly Pod[] {
    this.#pdbs ??= new PdbLimits(this.#world.podDisruptionBudgets);
    const pdbs = this.#pdbs;
    return this.#world.pods.filter(
      (pod) => pod.spec.nodeName && onNode(pod.spec.nodeName) && pdbs.isCurrentlyReschedulable(pod, this.#world.now),
    );
  }

  /** The pods are not changed; results name the very objects. */
  solve(input: SolveInput): Results {
    if (this.#learn(input.pods)) this.#state = undefined;
    this.#state ??= schedulerState({
      world: this.#world,
      options: this.#options,
      wellKnown: this.#wellKnown,
      volumes: this.#volumes,
      daemons: this.#daemons,
      mentioned: this.#mentioned,
    });
    return new SchedulingRun(this.#state, input).solve();
  }

  /**
   * As `solve`; where filling a claim has cost it its spot offerings, packs once more so that claims keep them, and takes
   * what costs less. Upstream always takes the first.
   */
  solveForLaunch(input: SolveInput): Results {
    const results = this.solve(input);
    if (this.#options.keepKnownFaults || !hasLostSpot(results, this.#world, this.#wellKnown)) return results;
    return cheaperOf(results, this.solve({ ...input, keepSpot: true }), this.#wellKnown);
  }

  /** Notes the label keys that pods mention; true when there are new ones. */
  #learn(pods: readonly Pod[]): boolean {
    let isNew = false;
    for (const pod of pods) {
      if (this.#known.has(pod)) continue;
      this.#known.add(pod);
      if (this.#mentioned.add(pod.spec)) isNew = true;
    }
    return isNew;
  }
}
