import type { Blocker, Command, MethodResult, NodeVerdict } from '../disruption/index.ts';
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
  /** What could be done with each other node if it had the turn, most saved first. */
  readonly alternatives: readonly DisruptionCommandReport[];
  readonly blocked: Readonly<Record<string, readonly BlockerReport[]>>;
  /** Of `chosen`. */
  readonly savings: Savings;
}

/** Said of a node by one method only, or true of most nodes: whether it really stays is for `verdict` to say. */
const NO_OBSTACLES: ReadonlySet<string> = new Set(['NotEmpty', 'NotDrifted', 'Budget']);

/**
 * What the controller would disrupt next, and what keeps each other node.
 *
 * @param results in the order of the methods
 * @param verdict what becomes of a node when it has the turn; asked for nodes that no method has looked at
 */
export function disruptionReport(
  results: readonly MethodResult[],
  verdict: (node: string) => NodeVerdict,
  wellKnown: ReadonlySet<string>,
): DisruptionReport {
  const methods = results.map((result) => ({
    method: result.method,
    consolidationType: result.consolidationType,
    candidates: result.candidates,
    budgets: result.budgets,
    commands: result.commands.map((command) => commandReport(command, wellKnown)),
  }));
  const chosen = methods.flatMap(({ commands }) => commands)[0] ?? null;
  const going = new Set(chosen?.candidates);
  const blocked = new Map<string, readonly BlockerReport[]>();
  const alternatives: DisruptionCommandReport[] = [];
  for (const [node, obstacles] of obstaclesByNode(results)) {
    if (going.has(node)) continue;
    const found = obstacles.length > 0 ? { blockers: obstacles } : verdict(node);
    if (found.command) alternatives.push(commandReport(found.command, wellKnown));
    else
      blocked.set(
        node,
        (found.blockers ?? []).map(({ code, message, objects }) => ({ code, message, objects })),
      );
  }
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'DisruptionReport',
    methods,
    chosen,
    alternatives: alternatives.sort((a, b) => b.savings.hourly - a.savings.hourly),
    blocked: Object.fromEntries([...blocked].sort(([a], [b]) => (a < b ? -1 : 1))),
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
