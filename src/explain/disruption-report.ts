import type { DisruptionReason } from '../apis/node-pool.ts';
import type { Blocker, BlockerCode, MethodResult, NodeVerdict } from '../disruption/index.ts';
import type { BlockedNodes, CouldSave } from './blocked-nodes.ts';
import {
  type CommandContext,
  commandReport,
  type DisruptionCommandReport,
  NO_SAVINGS,
  type Savings,
} from './command-report.ts';
import type { MergeReport } from './merge-report.ts';
import type { NextSteps } from './next-steps.ts';
import { shareSaved, type Threshold, thresholdText } from './threshold.ts';

export interface BlockerReport {
  readonly code: BlockerCode | 'SavesTooLittle';
  /** Upstream's words, where it has an event for it. */
  readonly message: string;
  readonly objects: readonly string[];
  /** In plain words, with the facts behind it; absent when the message says all. */
  readonly why?: string;
  /** The event with which upstream says the same of the node and its claim; absent where upstream says nothing. */
  readonly event?: string;
  /** Of a budget: the kind of disruption that it allows no more of. */
  readonly reason?: DisruptionReason;
}

export interface MethodReport {
  readonly method: string;
  readonly consolidationType: string;
  readonly candidates: readonly string[];
  readonly budgets: Readonly<Record<string, number>>;
  readonly commands: readonly DisruptionCommandReport[];
}

export interface DisruptionReport {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'DisruptionReport';
  readonly methods: readonly MethodReport[];
  /** The first command of the first method that has one: what the controller would do now, if it is asked about. */
  readonly chosen: DisruptionCommandReport | null;
  /** The controller would do something now, but with none of the nodes that are asked about. */
  readonly chosenElsewhere: boolean;
  /** What could be done with each other node if it had the turn, most saved first. */
  readonly alternatives: readonly DisruptionCommandReport[];
  /** Nodes that could save most come first. */
  readonly blocked: Readonly<Record<string, readonly BlockerReport[]>>;
  /** What each blocked node costs, and what it would save if nothing but room and price had a say. */
  readonly couldSave: Readonly<Record<string, CouldSave>>;
  /** What goes next and after that, until nothing is left or the limit is reached; null when it wasn't asked for. */
  readonly next: NextSteps | null;
  /** What removing the nodes that are asked about at once would come to; null when it wasn't asked for. */
  readonly together: MergeReport | null;
  /** Of `chosen`. */
  readonly savings: Savings;
}

/** Said of a node by one method only, or true of most nodes: whether it really stays is for `verdict` to say. */
const NO_OBSTACLES: ReadonlySet<string> = new Set(['NotEmpty', 'IsEmpty', 'HostsBufferPods', 'NotDrifted', 'Budget']);

export interface DisruptionQuestion {
  /** In the order of the methods. */
  readonly results: readonly MethodResult[];
  /** What becomes of a node when it has the turn; asked for nodes that no method has looked at. */
  readonly verdict: (node: string) => NodeVerdict;
  readonly context: CommandContext;
  readonly blockedNodes: BlockedNodes;
  readonly next?: NextSteps | undefined;
  readonly merge?: MergeReport | undefined;
  /** Nodes to answer for; all of them by default. */
  readonly selects?: (node: string) => boolean;
  /** Moves that save less count as nothing to do. */
  readonly atLeast?: Threshold;
}

/** What the controller would disrupt next, what after that, and what keeps each other node. */
export function disruptionReport(question: DisruptionQuestion): DisruptionReport {
  const { results, verdict, context, atLeast, blockedNodes, selects = () => true } = question;
  const methods = results.map((result) => ({
    method: result.method,
    consolidationType: result.consolidationType,
    candidates: result.candidates,
    budgets: result.budgets,
    commands: result.commands.map((command) => commandReport(command, context)),
  }));
  const next = methods.flatMap(({ commands }) => commands)[0];
  const chosen = next?.candidates.some(selects) ? next : undefined;
  const blocked = new Map<string, readonly BlockerReport[]>();
  const isEnough = (command: DisruptionCommandReport): boolean => {
    if (!atLeast || shareSaved(command, atLeast) >= atLeast.value) return true;
    for (const node of command.candidates) if (selects(node)) blocked.set(node, [tooLittle(atLeast)]);
    return false;
  };
  const shown = chosen && isEnough(chosen) ? chosen : null;
  const alternatives: DisruptionCommandReport[] = [];
  for (const [node, obstacles] of obstaclesByNode(results)) {
    if (!selects(node) || chosen?.candidates.includes(node)) continue;
    const found = obstacles.length > 0 ? { blockers: obstacles } : verdict(node);
    if (!found.command)
      blocked.set(
        node,
        (found.blockers ?? []).map((blocker) => explainedBlocker([node], blocker, blockedNodes)),
      );
    else {
      const alternative = commandReport(found.command, context);
      if (isEnough(alternative)) alternatives.push(alternative);
    }
  }
  const stays = bySavings(blocked, blockedNodes);
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'DisruptionReport',
    methods,
    chosen: shown,
    chosenElsewhere: next !== undefined && chosen === undefined,
    alternatives: alternatives.sort((a, b) => b.savings.hourly - a.savings.hourly),
    blocked: Object.fromEntries(stays.map(({ node, blockers }) => [node, blockers])),
    couldSave: Object.fromEntries(stays.map(({ node, couldSave }) => [node, couldSave])),
    next: question.next ?? null,
    together: question.merge ?? null,
    savings: shown?.savings ?? NO_SAVINGS,
  };
}

function blockerReport({ code, message, objects, event, reason }: Blocker): BlockerReport {
  return { code, message, objects, ...(event ? { event } : {}), ...(reason ? { reason } : {}) };
}

/** With the facts behind it; of one node, or of several together. */
export function explainedBlocker(
  nodes: readonly string[],
  blocker: Blocker,
  blockedNodes: BlockedNodes,
): BlockerReport {
  const why = blockedNodes.why(nodes, blocker);
  return { ...blockerReport(blocker), ...(why ? { why } : {}) };
}

/** Most saved first, then the dearest, then by name. */
function bySavings(blocked: ReadonlyMap<string, readonly BlockerReport[]>, blockedNodes: BlockedNodes) {
  return [...blocked]
    .map(([node, blockers]) => ({ node, blockers, couldSave: blockedNodes.couldSave(node, blockers) }))
    .sort(
      (a, b) =>
        b.couldSave.hourly - a.couldSave.hourly ||
        (b.couldSave.price ?? 0) - (a.couldSave.price ?? 0) ||
        (a.node < b.node ? -1 : 1),
    );
}

function tooLittle(threshold: Threshold): BlockerReport {
  return { code: 'SavesTooLittle', message: `Could go, but saves less than ${thresholdText(threshold)}`, objects: [] };
}

/** Every method's obstacles of a node, each once; a node that only has none of any weight is there with an empty list. */
function obstaclesByNode(results: readonly MethodResult[]): ReadonlyMap<string, readonly Blocker[]> {
  const byNode = new Map<string, Map<string, Blocker>>();
  for (const { blocked, candidates } of results) {
    for (const node of candidates) if (!byNode.has(node)) byNode.set(node, new Map());
    for (const [node, blockers] of blocked) {
      const seen = byNode.get(node) ?? new Map<string, Blocker>();
      for (const blocker of blockers) {
        if (!NO_OBSTACLES.has(blocker.code)) seen.set(`${blocker.code} ${blocker.message}`, blocker);
      }
      byNode.set(node, seen);
    }
  }
  return new Map([...byNode].map(([node, blockers]) => [node, [...blockers.values()]]));
}
