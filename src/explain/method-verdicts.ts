import type { Disruption, MethodName } from '../disruption/index.ts';
import { METHOD_NAMES } from '../disruption/index.ts';
import type { BlockedNodes } from './blocked-nodes.ts';
import { type CommandContext, commandReport, type DisruptionCommandReport } from './command-report.ts';
import { type BlockerReport, explainedBlocker } from './disruption-report.ts';

/** What one method makes of one node now. */
export interface MethodVerdict {
  readonly method: MethodName;
  /** The method looks at the node at all. */
  readonly candidate: boolean;
  /** What it would do with it, had the node the turn; null when nothing. */
  readonly command: DisruptionCommandReport | null;
  /** What keeps it; empty when there is a command, or when no set of nodes with this one in it is worth a move. */
  readonly blockers: readonly BlockerReport[];
}

/** Each of the five methods in the order in which the controller tries them. */
export function methodVerdicts(
  node: string,
  pool: string,
  disruption: Disruption,
  words: BlockedNodes,
  context: CommandContext,
): readonly MethodVerdict[] {
  return METHOD_NAMES.map((method) => {
    const { candidates, commands, blocked, budgets } = disruption.run(method);
    const candidate = candidates.includes(node);
    const own = commands.find((command) =>
      command.candidates.some((c) => (c.node ?? c.nodeClaim)?.metadata.name === node),
    );
    const alone = method === 'MultiNodeConsolidation' ? undefined : disruption.judge(node, method);
    const command = own ?? alone?.command;
    if (command) return { method, candidate, command: commandReport(command, context), blockers: [] };
    // Among others its turn came after the budget was spent on them; what counts here is whether it could go at all.
    const among = (blocked.get(node) ?? []).filter(({ code }) => code !== 'Budget' || (budgets[pool] ?? 0) === 0);
    const known = new Map(
      [...among, ...(alone && !alone.command ? alone.blockers : [])].map((blocker) => [blocker.code, blocker]),
    );
    const blockers = [...known.values()].map((blocker) => explainedBlocker([node], blocker, words));
    return { method, candidate, command: null, blockers };
  });
}
