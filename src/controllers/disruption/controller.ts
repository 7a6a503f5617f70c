import { formatDuration } from '../../apis/format-duration.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import {
  type Command,
  Disruption,
  type DisruptOptions,
  METHOD_NAMES,
  type MethodName,
  type MethodResult,
} from '../../disruption/index.ts';
import type { Random } from '../../kube/clock.ts';
import type { ControllerSpec, ReconcileResult } from '../../kube/controller.ts';
import { nodePoolName, providerID, stateNodeName } from '../../scheduling/state-node.ts';
import type { PoolAndTypes } from '../../scheduling/types.ts';
import type { Listers } from '../../state/listers.ts';
import { poolsAndTypes } from '../../state/pools-and-types.ts';
import { worldOf } from '../../state/world.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedPool } from '../managed.ts';
import { tolerant } from '../tolerant.ts';
import { decisionFields } from './command-log.ts';
import { Concerns } from './concerns.ts';
import { inSlices } from './in-slices.ts';
import type { DisruptionMarks } from './marks.ts';
import { type Proposal, Proposals } from './proposals.ts';
import type { DisruptionQueue } from './queue.ts';
import { Reports, reasonLabel } from './reports.ts';
import { SettledMethods } from './settled-methods.ts';

type Settings = Pick<DisruptOptions, 'schedule' | 'spotToSpotConsolidation'>;

type Deps = Pick<ControllerContext, 'cloud' | 'cluster' | 'clock' | 'nodePools' | 'recorder' | 'metrics' | 'log'> & {
  readonly listers: Listers;
  readonly random: Random;
  readonly queue: Pick<DisruptionQueue, 'has' | 'nodeNames' | 'start'>;
  readonly marks: Pick<DisruptionMarks, 'clear'>;
  readonly settings: Settings;
};

const PERIOD_MS = 10_000;
const UNSYNCED_MS = 1000;
/** When waiting for cluster state is worth a line in the log, and how often (karpenter-core.md 8.3). */
const UNSYNCED_LONG_MS = 30_000;
const UNSYNCED_AGAIN_MS = 10_000;
/** Methods whose commands are looked at a second time; drift is carried out at once. */
const VALIDATED: ReadonlySet<MethodName> = new Set(['Emptiness', 'MultiNodeConsolidation', 'SingleNodeConsolidation']);

/** Looks for nodes that had better go, one method after the other (karpenter-core.md 7.1). */
export class DisruptionController implements ControllerSpec {
  readonly name = 'disruption';
  readonly watches = [];
  readonly initialKeys = ['all'];
  readonly #deps: Deps;
  readonly #concerns: Concerns;
  readonly #settled: SettledMethods;
  readonly #proposals: Proposals;
  readonly #reports: Reports;
  #toldAt = 0;
  #unseenNodes: readonly string[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#concerns = new Concerns(deps);
    this.#settled = new SettledMethods({ ...deps, podDisruptionBudgets: deps.listers.podDisruptionBudgets });
    this.#proposals = new Proposals(deps);
    this.#reports = new Reports(deps);
  }

  async reconcile(_key: string, signal: AbortSignal, stopping: AbortSignal): Promise<ReconcileResult | undefined> {
    const { cluster, clock } = this.#deps;
    this.#concerns.runs('disruption-loop');
    this.#concerns.budgets(this.#managedPools());
    const result = await tolerant(async () => {
      const { started, last } = await this.#settleProposals(signal, stopping);
      if (started) return { requeueAfter: 0 };
      if (!cluster.synced) {
        this.#tellUnsynced();
        return { requeueAfter: UNSYNCED_MS };
      }
      await this.#clearLeftovers(signal);
      return (await this.#runMethods(last, signal, stopping)) ? { requeueAfter: 0 } : undefined;
    });
    return result ?? { requeueAfter: Math.min(PERIOD_MS, Math.max(0, this.#proposals.nextDue - clock.now())) };
  }

  /** What the whole controller waits for, once that takes long. */
  #tellUnsynced(): void {
    const { cluster, clock, log } = this.#deps;
    if (cluster.unsyncedFor < UNSYNCED_LONG_MS || clock.now() - this.#toldAt < UNSYNCED_AGAIN_MS) return;
    this.#toldAt = clock.now();
    log.error('cluster is waiting on sync for extended duration', new Error('waiting on cluster sync'), {
      duration: formatDuration(Math.floor(cluster.unsyncedFor / 1000) * 1000),
      'unlaunched-nodeclaims': cluster.unlaunchedClaims().join(', '),
    });
  }

  /** A controller that was stopped, or a command that failed, leaves taints behind that nobody else takes off. */
  async #clearLeftovers(signal: AbortSignal): Promise<void> {
    const { cluster, queue, marks } = this.#deps;
    const idle = cluster.nodes().filter((node) => !node.markedForDeletion && !queue.has(providerID(node)));
    await Promise.all(idle.map((node) => marks.clear(node, signal)));
  }

  /** Carries out what still looks right; `last` is the method that has just been disappointed, whose turn is over. */
  async #settleProposals(
    signal: AbortSignal,
    stopping: AbortSignal,
  ): Promise<{ readonly started: boolean; readonly last?: MethodName }> {
    const due = this.#proposals.takeDue(this.#deps.clock.now());
    let started = false;
    for (const proposal of due) {
      const commands = await this.#validated(proposal, stopping);
      if (await this.#start(proposal.result, commands, signal, stopping)) started = true;
      this.#measure(proposal.result, proposal.begunAt);
    }
    const last = due.at(-1)?.result.method;
    return { started, ...(last ? { last } : {}) };
  }

  /** The methods after `last`, or all, on what no proposal waits for. Whether a command was started. */
  async #runMethods(last: MethodName | undefined, signal: AbortSignal, stopping: AbortSignal): Promise<boolean> {
    const { clock } = this.#deps;
    this.#reports.protections();
    let world: Disruption | undefined;
    for (const method of last ? METHOD_NAMES.slice(METHOD_NAMES.indexOf(last) + 1) : METHOD_NAMES) {
      this.#concerns.runs(method);
      const disruption: Disruption = world ?? (await this.#freshWorld(stopping, this.#proposals.pools));
      world = disruption;
      const begunAt = clock.now();
      const result = await this.#run(method, disruption, stopping);
      if (result.commands.length > 0 && VALIDATED.has(method)) {
        this.#proposals.add(result, begunAt, clock.now());
        for (const command of result.commands) this.#reports.proposed(command);
        world = undefined;
        continue;
      }
      const started = await this.#start(result, result.commands, signal, stopping);
      this.#measure(result, begunAt);
      if (started) return true;
      // Time has passed: the next method has to see what there is now.
      if (result.commands.length > 0) world = undefined;
    }
    return false;
  }

  /** What a method finds, told to whom it concerns. */
  async #run(method: MethodName, disruption: Disruption, stopping: AbortSignal): Promise<MethodResult> {
    const { metrics, clock } = this.#deps;
    const seen = disruption.survey(method);
    const { pools } = this.#proposals;
    // Nodes of pools that wait for a proposal are none the less eligible for not being looked at.
    if (pools.size === 0) {
      metrics.gauge('voluntary_disruption_eligible_nodes', seen.candidates.length, { reason: reasonLabel(method) });
    }
    if (seen.candidates.length === 0 || this.#settled.has(seen)) {
      this.#reports.blockers(seen, disruption);
      return seen;
    }
    const state = this.#settled.state(seen);
    const result = await inSlices(disruption.steps(method), clock, stopping);
    this.#reports.blockers(result, disruption);
    this.#reports.moves(result);
    if (method === 'SingleNodeConsolidation') this.#noteUnseen(result, pools);
    if (result.timedOut) this.#tellTimeout(result);
    if (result.commands.length === 0) this.#settled.note(result, state);
    return result;
  }

  #noteUnseen({ unseenNodes }: MethodResult, waiting: ReadonlySet<string>): void {
    const names = this.#deps.cluster
      .nodes()
      .filter((node) => waiting.has(nodePoolName(node) ?? ''))
      .map(stateNodeName);
    const kept = this.#unseenNodes.filter((name) => names.includes(name));
    this.#unseenNodes = [...unseenNodes, ...kept];
  }

  #tellTimeout({ method, consolidationType, candidates, commands: [command], unseenNodes }: MethodResult): void {
    const { metrics, log, cluster } = this.#deps;
    metrics.count('voluntary_disruption_consolidation_timeouts_total', { consolidation_type: consolidationType });
    if (method === 'SingleNodeConsolidation') {
      const evaluated = candidates.length - unseenNodes.length;
      log.debug('abandoning single-node consolidation due to timeout', { candidates_evaluated: evaluated });
    } else if (command) {
      const message = 'stopping multi-node consolidation after timeout, returning last valid command';
      log.debug(message, decisionFields(command, cluster));
    } else log.debug('failed to find a multi-node consolidation after timeout');
  }

  /** From when the method began until its commands were started or given up. */
  #measure({ method, consolidationType }: MethodResult, begunAt: number): void {
    const { metrics, clock } = this.#deps;
    const labels = { reason: reasonLabel(method), consolidation_type: consolidationType };
    metrics.observe(
      'voluntary_disruption_decision_evaluation_duration_seconds',
      (clock.now() - begunAt) / 1000,
      labels,
    );
  }

  async #start(
    result: MethodResult,
    commands: readonly Command[],
    signal: AbortSignal,
    stopping: AbortSignal,
  ): Promise<boolean> {
    const { queue } = this.#deps;
    const confirm = async (command: Command): Promise<boolean> => {
      if (!VALIDATED.has(command.method)) return true;
      const outcome = (await this.#freshWorld(stopping)).validate(command);
      return 'command' in outcome && outcome.command.candidates.length === command.candidates.length;
    };
    const outcomes = await Promise.allSettled(
      commands.map((command) => queue.start(command, result.consolidationType, confirm, signal)),
    );
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    return outcomes.some((outcome) => outcome.status === 'fulfilled' && outcome.value);
  }

  /** The commands that still hold, perhaps for fewer nodes. */
  async #validated({ id, result }: Proposal, stopping: AbortSignal): Promise<readonly Command[]> {
    const { metrics, log, cluster } = this.#deps;
    const { method, consolidationType } = result;
    const now = await this.#freshWorld(stopping);
    const empty = method === 'Emptiness';
    this.#reports.budgets(now, method);
    return result.commands.flatMap((command) => {
      const outcome = now.validate(command);
      const kept = 'command' in outcome ? outcome.command.candidates.length : 0;
      const failed = command.candidates.length - kept;
      const labels = { consolidation_type: consolidationType };
      if (failed > 0) metrics.count('voluntary_disruption_failed_validations_total', labels, failed);
      if ('command' in outcome) return [outcome.command];
      log.debug(
        empty
          ? 'abandoning empty node consolidation attempt due to pod churn, command is no longer valid'
          : 'abandoning consolidation attempt, command is no longer valid',
        { 'command-id': id, failure: outcome.failure, message: outcome.message, ...decisionFields(command, cluster) },
      );
      this.#reports.rejected(command, outcome.failure);
      return [];
    });
  }

  #managedPools(): readonly NodePool[] {
    const { cloud, nodePools } = this.#deps;
    return nodePools.list().filter((nodePool) => isManagedPool(cloud, nodePool));
  }

  /** The cluster as it is now; nodes of pools that are to be left alone count as being disrupted already. */
  async #freshWorld(signal: AbortSignal, leftAlone: ReadonlySet<string> = new Set()): Promise<Disruption> {
    const { cloud, cluster, clock, listers, log, queue, settings } = this.#deps;
    const pools: readonly PoolAndTypes[] = await poolsAndTypes({ cloud, log }, this.#managedPools(), signal);
    const world = worldOf(cluster, listers, pools, clock.now());
    const untouched = world.nodes.filter((node) => leftAlone.has(nodePoolName(node) ?? '')).map(stateNodeName);
    return new Disruption(world, {
      ...settings,
      queued: new Set([...queue.nodeNames(), ...untouched]),
      bufferNodes: new Set(
        cluster
          .nodes()
          .filter((n) => cluster.bufferPods(providerID(n)) > 0)
          .map(stateNodeName),
      ),
      unseenNodes: new Set(this.#unseenNodes),
      elapsed: () => clock.now(),
    });
  }
}
