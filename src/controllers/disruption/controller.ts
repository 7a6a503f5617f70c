import type { NodePool } from '../../apis/node-pool.ts';
import {
  type Command,
  Disruption,
  type DisruptOptions,
  METHOD_NAMES,
  type MethodName,
  type MethodResult,
} from '../../disruption/index.ts';
import type { Event } from '../../events/recorder.ts';
import type { Random } from '../../kube/clock.ts';
import type { ControllerSpec, ReconcileResult } from '../../kube/controller.ts';
import { providerID, stateNodeName } from '../../scheduling/state-node.ts';
import type { PoolAndTypes, StateNode } from '../../scheduling/types.ts';
import type { Listers } from '../../state/listers.ts';
import { poolsAndTypes } from '../../state/pools-and-types.ts';
import { worldOf } from '../../state/world.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedPool } from '../managed.ts';
import { tolerant } from '../tolerant.ts';
import { commandTextFor } from './command-text.ts';
import { Concerns } from './concerns.ts';
import {
  blocked,
  blockedByBudget,
  consolidationApproved,
  consolidationApprovedIn,
  consolidationCandidate,
  consolidationRejected,
  unconsolidatable,
} from './events.ts';
import { inSlices } from './in-slices.ts';
import type { DisruptionMarks } from './marks.ts';
import type { DisruptionQueue } from './queue.ts';
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
/** A consolidation has to look right a second time after this long (karpenter-core.md 7.6.3). */
const VALIDATION_MS = 15_000;
const VALIDATED: ReadonlySet<MethodName> = new Set(['Emptiness', 'MultiNodeConsolidation', 'SingleNodeConsolidation']);

/** Looks for nodes that had better go, one method after the other (karpenter-core.md 7.1). */
export class DisruptionController implements ControllerSpec {
  readonly name = 'disruption';
  readonly watches = [];
  readonly initialKeys = ['all'];
  readonly #deps: Deps;
  readonly #concerns: Concerns;
  readonly #settled: SettledMethods;
  #toldAt = 0;
  #unseenNodes: readonly string[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#concerns = new Concerns(deps);
    // There from the start, so that rates have something to begin with.
    for (const consolidation_type of ['multi', 'single'])
      deps.metrics.count('voluntary_disruption_consolidation_timeouts_total', { consolidation_type }, 0);
    this.#settled = new SettledMethods({ ...deps, podDisruptionBudgets: deps.listers.podDisruptionBudgets });
  }

  async reconcile(_key: string, signal: AbortSignal, stopping: AbortSignal): Promise<ReconcileResult | undefined> {
    const { cluster } = this.#deps;
    this.#concerns.runs('disruption-loop');
    this.#concerns.budgets(this.#managedPools());
    if (!cluster.synced) {
      this.#tellUnsynced();
      return { requeueAfter: UNSYNCED_MS };
    }
    const result = await tolerant(async () => {
      await this.#clearLeftovers(signal);
      return (await this.#runMethods(signal, stopping)) ? { requeueAfter: 0 } : undefined;
    });
    return result ?? { requeueAfter: PERIOD_MS };
  }

  /** What the whole controller waits for, once that takes long. */
  #tellUnsynced(): void {
    const { cluster, clock, log } = this.#deps;
    if (cluster.unsyncedFor < UNSYNCED_LONG_MS || clock.now() - this.#toldAt < UNSYNCED_AGAIN_MS) return;
    this.#toldAt = clock.now();
    log.info('waiting on cluster state', {
      seconds: Math.round(cluster.unsyncedFor / 1000),
      'unlaunched-nodeclaims': cluster.unlaunchedClaims().join(', '),
    });
  }

  /** A controller that was stopped, or a command that failed, leaves taints behind that nobody else takes off. */
  async #clearLeftovers(signal: AbortSignal): Promise<void> {
    const { cluster, queue, marks } = this.#deps;
    const idle = cluster.nodes().filter((node) => !node.markedForDeletion && !queue.has(providerID(node)));
    await Promise.all(idle.map((node) => marks.clear(node, signal)));
  }

  /** Whether a command was started. */
  async #runMethods(signal: AbortSignal, stopping: AbortSignal): Promise<boolean> {
    const { metrics, clock } = this.#deps;
    let world: Disruption | undefined;
    for (const method of METHOD_NAMES) {
      this.#concerns.runs(method);
      if (this.#settled.has(method)) continue;
      const state = this.#settled.state();
      const disruption: Disruption = world ?? (await this.#freshWorld(stopping));
      world = disruption;
      const started = clock.now();
      const result = await inSlices(disruption.steps(method), clock, stopping);
      const reason = reasonOf(method);
      metrics.observe('voluntary_disruption_decision_evaluation_duration_seconds', (clock.now() - started) / 1000, {
        reason,
        consolidation_type: result.consolidationType,
      });
      metrics.gauge('voluntary_disruption_eligible_nodes', result.candidates.length, { reason });
      this.#report(result);
      this.#reportMoves(result);
      if (result.candidates.length > 0) this.#reportBudgets(disruption, method);
      if (method === 'SingleNodeConsolidation') this.#unseenNodes = result.unseenNodes;
      if (result.timedOut) {
        const labels = { consolidation_type: result.consolidationType };
        metrics.count('voluntary_disruption_consolidation_timeouts_total', labels);
      }
      if (result.commands.length === 0) {
        this.#settled.note(result, state);
        continue;
      }
      if (await this.#execute(result, signal, stopping)) return true;
      // Time has passed: the next method has to see what there is now.
      world = undefined;
    }
    return false;
  }

  async #execute(result: MethodResult, signal: AbortSignal, stopping: AbortSignal): Promise<boolean> {
    const commands = VALIDATED.has(result.method) ? await this.#validated(result, stopping) : result.commands;
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

  async #validated(result: MethodResult, signal: AbortSignal): Promise<readonly Command[]> {
    const { clock, metrics, recorder, random, log } = this.#deps;
    const id = random.uuid();
    const consolidates = result.method !== 'Emptiness';
    const tell = (command: Command, event: (node: StateNode, text: string) => readonly Event[]) => {
      for (const node of command.candidates) recorder.publish(...event(node, commandTextFor(node, command, id)));
    };
    for (const command of result.commands) {
      if (consolidates) tell(command, (node, text) => consolidationCandidate(node, text, command.savings));
    }
    await clock.sleep(VALIDATION_MS, signal);
    const now = await this.#freshWorld(signal);
    return result.commands.flatMap((command) => {
      const outcome = now.validate(command);
      if ('command' in outcome) return [outcome.command];
      log.debug('abandoning disruption attempt', {
        'command-id': id,
        reason: outcome.failure,
        message: outcome.message,
      });
      const labels = { consolidation_type: result.consolidationType };
      metrics.count('voluntary_disruption_failed_validations_total', labels, command.candidates.length);
      if (consolidates) {
        tell(command, (node, text) => consolidationRejected(node, text, outcome.failure, command.savings));
      }
      return [];
    });
  }

  #managedPools(): readonly NodePool[] {
    const { cloud, nodePools } = this.#deps;
    return nodePools.list().filter((nodePool) => isManagedPool(cloud, nodePool));
  }

  async #freshWorld(signal: AbortSignal): Promise<Disruption> {
    const { cloud, cluster, clock, listers, log, queue, settings } = this.#deps;
    const pools: readonly PoolAndTypes[] = await poolsAndTypes({ cloud, log }, this.#managedPools(), signal);
    const world = worldOf(cluster, listers, pools, clock.now());
    return new Disruption(world, {
      ...settings,
      queued: queue.nodeNames(),
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

  #report({ blocked: reasons }: MethodResult): void {
    const { cluster, recorder } = this.#deps;
    const byName = new Map(cluster.nodes().map((node) => [stateNodeName(node), node]));
    for (const [name, blockers] of reasons) {
      const node = byName.get(name);
      for (const { event, message } of node ? blockers : []) {
        if (!node || !event) continue;
        recorder.publish(...(event === 'Unconsolidatable' ? unconsolidatable(node, message) : blocked(node, message)));
      }
    }
  }

  #reportMoves({ method, moves, commands: [command] }: MethodResult): void {
    const { metrics, nodePools, recorder } = this.#deps;
    const word = (approved: boolean): string => (approved ? 'approved' : 'rejected');
    const together = method === 'MultiNodeConsolidation';
    for (const { nodePool, policy, approved, score } of moves) {
      const labels = { nodepool: nodePool, policy };
      // Several nodes go if all their pools approve.
      const decision = word(together ? command !== undefined : approved);
      metrics.count('consolidation_moves_total', { ...labels, decision });
      if (!score) continue;
      metrics.observe('consolidation_score', score.score, { ...labels, decision: word(approved) });
      if (!approved) continue;
      const pool = nodePools.get(nodePool);
      const [node] = command?.candidates ?? [];
      if (!together && node) recorder.publish(...consolidationApproved(node, score));
      else if (together && pool) recorder.publish(consolidationApprovedIn(pool, score));
    }
  }

  #reportBudgets(disruption: Disruption, method: MethodName): void {
    const { metrics, nodePools, recorder } = this.#deps;
    const reason = REASONS[method];
    for (const [pool, { nodes, disrupting, allowed }] of disruption.budgets(reason)) {
      const labels = { nodepool: pool, reason };
      metrics.gauge('nodepools_allowed_disruptions', allowed, labels);
      metrics.gauge('nodepools_nodes_consuming_budgets', disrupting, labels);
      const nodePool = nodePools.get(pool);
      if (nodePool && nodes > 0 && allowed === 0) recorder.publish(blockedByBudget(nodePool, reason));
    }
  }
}

const REASONS = {
  Emptiness: 'Empty',
  StaticDrift: 'Drifted',
  Drift: 'Drifted',
  MultiNodeConsolidation: 'Underutilized',
  SingleNodeConsolidation: 'Underutilized',
} as const;

const reasonOf = (method: MethodName): string => REASONS[method].toLowerCase();
