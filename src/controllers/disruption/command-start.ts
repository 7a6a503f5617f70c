import type { NodeClaim } from '../../apis/node-claim.ts';
import type { Command } from '../../disruption/types.ts';
import type { Random } from '../../kube/clock.ts';
import { parseQuantityMilli } from '../../kube/quantity.ts';
import { Pods } from '../../kube/resources.ts';
import { nodePoolName, providerID } from '../../scheduling/state-node.ts';
import type { StateNode } from '../../scheduling/types.ts';
import type { ControllerContext } from '../context.ts';
import type { NodeClaimCreator } from '../provisioning/create-node-claims.ts';
import { nominated } from '../provisioning/events.ts';
import type { DisruptionMarks } from './marks.ts';

export type CommandStartDeps = Pick<
  ControllerContext,
  'client' | 'clock' | 'cluster' | 'nodeClaims' | 'informers' | 'recorder' | 'metrics' | 'log'
> & {
  readonly random: Random;
  readonly marks: Pick<DisruptionMarks, 'set' | 'clear'>;
  readonly creator: Pick<NodeClaimCreator, 'create' | 'createStatic'>;
  readonly nominationMs: number;
};

export interface StartedCommand {
  readonly command: Command;
  /** Names of the replacements' claims. */
  readonly replacements: readonly string[];
}

/** The first half of a command: its candidates are marked, its replacements created (karpenter-core.md 7.13.1-4). */
export class CommandStart {
  readonly #deps: CommandStartDeps;

  constructor(deps: CommandStartDeps) {
    this.#deps = deps;
  }

  /**
   * Rejects when a step fails; what is on the nodes by then is cleared by the next disruption loop.
   *
   * @param confirm a last look once the taints keep new pods away; what came before them may have changed everything.
   * @returns undefined when the command was not started.
   */
  async run(
    wanted: Command,
    id: string,
    confirm: (command: Command) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<StartedCommand | undefined> {
    if (wanted.method !== 'StaticDrift') return await this.#run(wanted, id, confirm, signal);
    const [candidate] = wanted.candidates;
    const pool = candidate && nodePoolName(candidate);
    if (!candidate || !pool || !this.#hasRoom(wanted, pool)) return undefined;
    const { cluster } = this.#deps;
    try {
      return await this.#run(wanted, id, confirm, signal);
    } catch (error) {
      // It waits for no replacement any more.
      cluster.unmarkForDeletion(providerID(candidate));
      throw error;
    } finally {
      cluster.pools.release(pool, 1);
    }
  }

  /** Reserves a node of a static pool, whose other controllers count at the same time (karpenter-core.md 7.8, 8.11). */
  #hasRoom({ replacements: [replacement] }: Command, pool: string): boolean {
    const { pools } = this.#deps.cluster;
    const { replicas = 0, limits } = replacement?.nodePool.spec ?? {};
    const { active, pendingDisruption } = pools.counts(pool);
    // A pool that is still scaling down picks its own victims first.
    if (active + pendingDisruption > replicas) return false;
    const most = limits?.nodes === undefined ? Number.POSITIVE_INFINITY : parseQuantityMilli(limits.nodes) / 1000;
    return pools.reserve(pool, most, 1) === 1;
  }

  async #run(
    wanted: Command,
    id: string,
    confirm: (command: Command) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<StartedCommand | undefined> {
    const { cluster, marks, log } = this.#deps;
    const command = await this.#mark(wanted, signal);
    if (!(await confirm(command))) {
      log.debug('abandoning disruption attempt', { 'command-id': id, reason: 'changed while it was being started' });
      const now = command.candidates.map((node) => cluster.node(providerID(node)) ?? node);
      await Promise.allSettled(now.map((node) => marks.clear(node, signal)));
      return undefined;
    }
    const replacements = await this.#replace(command, signal);
    // After the replacements exist, not before: the provisioner would make room for the candidates' pods a second time.
    cluster.markForDeletion(...command.candidates.map(providerID));
    this.#nominate(command);
    return { command, replacements: replacements.map((claim) => claim.metadata.name) };
  }

  /** Answers the command with those candidates that could be marked; a replacement needs all of them. */
  async #mark(command: Command, signal: AbortSignal): Promise<Command> {
    const { marks, cluster } = this.#deps;
    const outcomes = await Promise.allSettled(
      command.candidates.map((node) => marks.set(node, command.reason, signal)),
    );
    const marked = command.candidates.filter((_, i) => outcomes[i]?.status === 'fulfilled');
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed && (command.replacements.length > 0 || marked.length === 0)) throw failed.reason;
    if (command.method === 'StaticDrift') {
      for (const candidate of marked) {
        const pool = nodePoolName(candidate);
        const { nodeClaim } = candidate;
        if (nodeClaim && pool) cluster.pools.file(pool, nodeClaim.metadata.name, 'pendingDisruption');
      }
    }
    return { ...command, candidates: marked };
  }

  async #replace(command: Command, signal: AbortSignal): Promise<readonly NodeClaim[]> {
    const { creator } = this.#deps;
    const reason = command.reason.toLowerCase();
    if (command.method === 'StaticDrift') {
      return await Promise.all(
        command.replacements.map(({ nodePool }) => creator.createStatic(nodePool, reason, signal)),
      );
    }
    const options = { reason, nominate: false, replaced: command.candidates };
    return await creator.create(command.replacements, options, signal);
  }

  /** Nodes that will take the candidates' pods may not be disrupted meanwhile; the pods are told which. */
  #nominate(command: Command): void {
    const { cluster, clock, recorder, informers, nominationMs } = this.#deps;
    const until = clock.now() + nominationMs;
    for (const [name, pods] of command.placements) {
      const target: StateNode | undefined = cluster.nodeByName(name);
      if (!target) continue;
      cluster.nominate(providerID(target), until);
      for (const key of pods) {
        const pod = informers.reader(Pods).get(key);
        if (pod) recorder.publish(nominated(pod, target));
      }
    }
  }
}
