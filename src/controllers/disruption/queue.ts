import { INITIALIZED } from '../../apis/condition-types.ts';
import type { Command, MethodResult } from '../../disruption/types.ts';
import { conditionIsTrue } from '../../kube/conditions.ts';
import { type Controller, type Watch, watch } from '../../kube/controller.ts';
import { isNotFound } from '../../kube/errors.ts';
import { NodeClaims } from '../../kube/resources.ts';
import { nodePoolName, providerID, stateNodeName } from '../../scheduling/state-node.ts';
import type { StateNode } from '../../scheduling/types.ts';
import { disruptedLabels } from '../nodeclaim/disrupted-labels.ts';
import { retried } from '../retried.ts';
import type { TriggeredController } from '../triggered.ts';
import { decisionFields } from './command-log.ts';
import { CommandStart, type CommandStartDeps } from './command-start.ts';
import { commandText } from './command-text.ts';
import { launching, terminating, waitingOnReadiness } from './events.ts';

/** A command that is being carried out. */
interface Running {
  readonly id: string;
  readonly command: Command;
  readonly consolidationType: MethodResult['consolidationType'];
  readonly startedAt: number;
  readonly replacements: readonly string[];
  readonly initialized: Set<string>;
}

/** Nothing will come of the command any more. */
class CommandFailedError extends Error {
  override readonly name = 'CommandFailedError';
}

const POLL_MS = 1000;
const SCALE_MS = 80;
const SHORTEST_TIMEOUT_MS = 600_000;
const LONGEST_TIMEOUT_MS = 3_600_000;

/** Carries commands out: replacements first, then the candidates go (karpenter-core.md 7.13). */
export class DisruptionQueue implements TriggeredController {
  readonly name = 'disruption.queue';
  /** A replacement that has come up, or will not, concerns its command at once. */
  readonly watches: readonly Watch[] = [watch(NodeClaims, ({ object }) => this.#waitingFor(object.metadata.name))];
  readonly #deps: CommandStartDeps;
  readonly #start: CommandStart;
  readonly #byId = new Map<string, Running>();
  /** Every candidate's providerID → its command. */
  readonly #ofNode = new Map<string, Running>();
  #queue: Controller['queue'] | undefined;

  constructor(deps: CommandStartDeps) {
    this.#deps = deps;
    this.#start = new CommandStart(deps);
  }

  attach(queue: Controller['queue']): void {
    this.#queue = queue;
  }

  has(providerId: string): boolean {
    return this.#ofNode.has(providerId);
  }

  /** Names of the nodes that commands are about. */
  nodeNames(): ReadonlySet<string> {
    return new Set([...this.#byId.values()].flatMap(({ command }) => command.candidates.map(stateNodeName)));
  }

  /**
   * Begins a command: its candidates are tainted, its replacements created. Rejects when that fails; what has been marked
   * by then is cleared by the next disruption loop.
   *
   * @param confirm a last look once the taints keep new pods away; what came before them may have changed everything.
   * @returns whether the command was started.
   */
  async start(
    wanted: Command,
    consolidationType: MethodResult['consolidationType'],
    confirm: (command: Command) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { clock, cluster, random, log } = this.#deps;
    if (wanted.candidates.some((node) => this.has(providerID(node)))) {
      throw new Error('candidate is being disrupted');
    }
    const id = random.uuid();
    const startedAt = clock.now();
    log.info('disrupting node(s)', {
      command: commandText(wanted, id),
      'command-id': id,
      ...decisionFields(wanted, cluster),
    });
    const started = await this.#start.run(wanted, id, confirm, signal);
    if (!started) return false;
    const { command } = started;
    const running: Running = { id, ...started, consolidationType, startedAt, initialized: new Set() };
    this.#byId.set(id, running);
    for (const node of command.candidates) this.#ofNode.set(providerID(node), running);
    this.#count(running);
    this.#queue?.add(id);
    return true;
  }

  async reconcile(id: string, signal: AbortSignal) {
    const running = this.#byId.get(id);
    if (!running) return;
    const { log } = this.#deps;
    try {
      if (!(await this.#advance(running, signal))) return { requeueAfter: POLL_MS };
      log.debug('command succeeded', { 'command-id': id });
      this.#complete(running);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof CommandFailedError)) return { requeueAfter: POLL_MS };
      await this.#abandon(running, error, signal);
    }
    return;
  }

  #waitingFor(claim: string): readonly string[] {
    return [...this.#byId.values()].filter(({ replacements }) => replacements.includes(claim)).map(({ id }) => id);
  }

  #count({ command, consolidationType }: Running): void {
    const { metrics } = this.#deps;
    const labels = {
      decision: command.decision,
      reason: command.reason.toLowerCase(),
      consolidation_type: consolidationType,
    };
    metrics.count('voluntary_disruption_decisions_total', labels);
    for (const nodepool of new Set(command.candidates.map((node) => nodePoolName(node) ?? ''))) {
      metrics.count('voluntary_disruption_decisions_by_nodepool_total', { ...labels, nodepool });
    }
  }

  /** Whether the command is done: its candidates have been deleted. Throws CommandFailedError when it never will be. */
  async #advance(running: Running, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#deps;
    const timeout = Math.min(Math.max(SCALE_MS * this.#ofNode.size, SHORTEST_TIMEOUT_MS), LONGEST_TIMEOUT_MS);
    const waiting = running.replacements.filter((name) => !this.#isInitialized(running, name));
    if (waiting.length === 0 && (await this.#deleteCandidates(running, signal))) return true;
    if (clock.now() - running.startedAt > timeout) throw new CommandFailedError('command reached timeout');
    return false;
  }

  #isInitialized(running: Running, name: string): boolean {
    const { nodeClaims, cluster, recorder } = this.#deps;
    if (running.initialized.has(name)) return true;
    const claim = nodeClaims.get(name);
    if (!claim) {
      // The watch may not have brought it yet; what cluster state has forgotten too is gone for good.
      if (!cluster.hasClaim(name)) throw new CommandFailedError(`replacement was deleted, ${name} not found`);
      return false;
    }
    if (claim.metadata.deletionTimestamp) throw new CommandFailedError(`replacement was deleted, ${name}`);
    recorder.publish(launching(claim, running.command.reason));
    if (!conditionIsTrue(claim, INITIALIZED)) {
      recorder.publish(waitingOnReadiness(claim));
      return false;
    }
    running.initialized.add(name);
    return true;
  }

  async #deleteCandidates({ command }: Running, signal: AbortSignal): Promise<boolean> {
    const outcomes = await Promise.allSettled(command.candidates.map((node) => this.#delete(node, command, signal)));
    return outcomes.every((outcome) => outcome.status === 'fulfilled');
  }

  async #delete(candidate: StateNode, { reason }: Command, signal: AbortSignal): Promise<void> {
    const { nodeClaims, clock, recorder, metrics } = this.#deps;
    const claim = candidate.nodeClaim;
    if (!claim) return;
    try {
      await retried(clock, async () => await nodeClaims.delete(claim, signal), signal);
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    recorder.publish(...terminating(candidate, reason));
    metrics.count('nodeclaims_disrupted_total', disruptedLabels(claim, reason.toLowerCase()));
  }

  /** Gives the candidates back; replacements that were launched stay as ordinary capacity. */
  async #abandon(running: Running, error: CommandFailedError, signal: AbortSignal): Promise<void> {
    const { cluster, metrics, log } = this.#deps;
    const { command, initialized, replacements, id } = running;
    log.error('failed terminating nodes while executing a disruption command', error, { 'command-id': id });
    metrics.count(
      'voluntary_disruption_queue_failures_total',
      {
        decision: command.decision,
        reason: command.reason.toLowerCase(),
        consolidation_type: running.consolidationType,
      },
      replacements.length - initialized.size,
    );
    cluster.unmarkForDeletion(...command.candidates.map(providerID));
    this.#complete(running);
    await Promise.allSettled(command.candidates.map((node) => this.#clear(node, signal)));
  }

  /** Takes the marks off again; looks at the node as it is now, since the command's is from before the marks. */
  async #clear(candidate: StateNode, signal: AbortSignal): Promise<void> {
    const { cluster, marks } = this.#deps;
    await marks.clear(cluster.node(providerID(candidate)) ?? candidate, signal);
  }

  #complete(running: Running): void {
    this.#byId.delete(running.id);
    for (const node of running.command.candidates) this.#ofNode.delete(providerID(node));
  }
}
