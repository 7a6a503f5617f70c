import type { Blocker, Command, MethodResult } from '../disruption/types.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import { type PlannedClaimReport, plannedClaimReport } from './plan-report.ts';

const HOURS_PER_MONTH = 730;

export interface DisruptionCommandReport {
  readonly method: string;
  readonly decision: string;
  readonly reason: string;
  /** Node names, sorted. */
  readonly candidates: readonly string[];
  readonly replacements: readonly PlannedClaimReport[];
  /** Existing node → pods that would move there. */
  readonly placements: Readonly<Record<string, readonly string[]>>;
  readonly savings: Savings;
}

/** In the currency of the instance types' prices. */
export interface Savings {
  readonly hourly: number;
  /** Of 730 hours. */
  readonly monthly: number;
}

export interface BlockerReport {
  readonly code: string;
  readonly message: string;
  readonly objects: readonly string[];
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
  /** The first command of the first method that has one: what the controller would do now. */
  readonly chosen: DisruptionCommandReport | null;
  readonly blocked: Readonly<Record<string, readonly BlockerReport[]>>;
  /** Of `chosen`. */
  readonly savings: Savings;
}

/** What the controller would disrupt next, and what keeps each other node. `results` in the order of the methods. */
export function disruptionReport(results: readonly MethodResult[], wellKnown: ReadonlySet<string>): DisruptionReport {
  const methods = results.map((result) => ({
    method: result.method,
    consolidationType: result.consolidationType,
    candidates: result.candidates,
    budgets: result.budgets,
    commands: result.commands.map((command) => commandReport(command, wellKnown)),
  }));
  const chosen = methods.flatMap(({ commands }) => commands)[0] ?? null;
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'DisruptionReport',
    methods,
    chosen,
    blocked: blockersByNode(results, new Set(chosen?.candidates)),
    savings: chosen?.savings ?? savings(0),
  };
}

export function commandReport(command: Command, wellKnown: ReadonlySet<string>): DisruptionCommandReport {
  return {
    method: command.method,
    decision: command.decision,
    reason: command.reason,
    candidates: command.candidates.map(stateNodeName).sort(),
    replacements: command.replacements.map((claim) => plannedClaimReport(claim, wellKnown)),
    placements: Object.fromEntries(command.placements),
    savings: savings(command.savings),
  };
}

const savings = (hourly: number): Savings => ({ hourly, monthly: hourly * HOURS_PER_MONTH });

/** Every method's blockers of a node, each once; nodes that are about to go have none. */
function blockersByNode(results: readonly MethodResult[], going: ReadonlySet<string>): Record<string, BlockerReport[]> {
  const byNode = new Map<string, Map<string, Blocker>>();
  for (const { blocked } of results) {
    for (const [node, blockers] of blocked) {
      if (going.has(node)) continue;
      const seen = byNode.get(node) ?? new Map<string, Blocker>();
      for (const blocker of blockers) seen.set(`${blocker.code} ${blocker.message}`, blocker);
      byNode.set(node, seen);
    }
  }
  const entries = [...byNode].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([node, blockers]) => [
      node,
      [...blockers.values()].map(({ code, message, objects }) => ({ code, message, objects })),
    ]),
  );
}
