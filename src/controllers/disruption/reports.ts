import type { NodePool } from '../../apis/node-pool.ts';
import type { Command, Disruption, MethodName, MethodResult } from '../../disruption/index.ts';
import type { Event } from '../../events/recorder.ts';
import { isActive } from '../../kube/pods.ts';
import { isInitialized, stateNodeName } from '../../scheduling/state-node.ts';
import type { StateNode } from '../../scheduling/types.ts';
import type { ControllerContext } from '../context.ts';
import { doNotDisruptEvents } from '../do-not-disrupt-events.ts';
import { proposalText } from './command-text.ts';
import {
  blocked,
  blockedByBudget,
  consolidationApproved,
  consolidationApprovedIn,
  consolidationCandidate,
  consolidationRejected,
  unconsolidatable,
} from './events.ts';

type Deps = Pick<ControllerContext, 'cluster' | 'clock' | 'nodePools' | 'recorder' | 'metrics'>;

const REASONS = {
  Emptiness: 'Empty',
  StaticDrift: 'Drifted',
  Drift: 'Drifted',
  MultiNodeConsolidation: 'Underutilized',
  SingleNodeConsolidation: 'Underutilized',
} as const;

/** A method's reason as metrics have it. */
export const reasonLabel = (method: MethodName): string => REASONS[method].toLowerCase();

/** Tells nodes, pools and metrics what the methods of disruption found. */
export class Reports {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    // There from the start, so that rates have something to begin with.
    for (const consolidation_type of ['multi', 'single']) {
      deps.metrics.count('voluntary_disruption_consolidation_timeouts_total', { consolidation_type }, 0);
    }
  }

  /** Pods of nodes that could be disrupted, about their own annotations. */
  protections(): void {
    const { cluster, clock, recorder } = this.#deps;
    const now = clock.now();
    for (const state of cluster.nodes()) {
      if (!state.node || !state.nodeClaim || state.markedForDeletion || !isInitialized(state)) continue;
      for (const pod of cluster.podsOn(state.node.metadata.name)) {
        if (isActive(pod)) recorder.publish(...doNotDisruptEvents(pod, now));
      }
    }
  }

  /** Nodes that a method leaves alone, and pools that allow it nothing. */
  blockers({ method, candidates, blocked: reasons }: MethodResult, disruption: Disruption): void {
    const { cluster, recorder } = this.#deps;
    const byName = new Map(cluster.nodes().map((node) => [stateNodeName(node), node]));
    for (const [name, blockers] of reasons) {
      const node = byName.get(name);
      for (const { event, message } of node ? blockers : []) {
        if (!node || !event) continue;
        recorder.publish(...(event === 'Unconsolidatable' ? unconsolidatable(node, message) : blocked(node, message)));
      }
    }
    if (candidates.length > 0) this.budgets(disruption, method);
  }

  budgets(disruption: Disruption, method: MethodName): void {
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

  /** What was weighed, by score. */
  moves({ method, moves, commands: [command] }: MethodResult): void {
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
      const pool: NodePool | undefined = nodePools.get(nodePool);
      const [node] = command?.candidates ?? [];
      if (!together && node) recorder.publish(...consolidationApproved(node, score));
      else if (together && pool) recorder.publish(consolidationApprovedIn(pool, score));
    }
  }

  /** A replacement is being thought of. */
  proposed(command: Command): void {
    if (command.method === 'Emptiness' || command.replacements.length === 0) return;
    this.#tell(command, (node, text) => consolidationCandidate(node, text, command.savings));
  }

  /** A consolidation no longer looks right. */
  rejected(command: Command, failure: string): void {
    if (command.method === 'Emptiness') return;
    this.#tell(command, (node, text) => consolidationRejected(node, text, failure, command.savings));
  }

  #tell(command: Command, event: (node: StateNode, text: string) => readonly Event[]): void {
    for (const node of command.candidates) this.#deps.recorder.publish(...event(node, proposalText(node, command)));
  }
}
