import type { MergeVerdict } from '../disruption/index.ts';
import type { BlockedNodes } from './blocked-nodes.ts';
import { type CommandContext, commandReport, type DisruptionCommandReport } from './command-report.ts';
import { type BlockerReport, explainedBlocker } from './disruption-report.ts';

/** What removing several nodes at once would come to, and whether the controller ever tries just that. */
export interface MergeReport {
  /** As they were asked for. */
  readonly nodes: readonly string[];
  readonly command: DisruptionCommandReport | null;
  /** What keeps one of them, or with a null node all together. */
  readonly blockers: readonly (BlockerReport & { readonly node: string | null })[];
  readonly turn: {
    /** Node to its place, from 1, in the list of multi-node consolidation; nodes that are not in it are missing. */
    readonly positions: Readonly<Record<string, number>>;
    readonly listed: number;
    /** Only the first 2, 3 and so on, up to so many, are tried together. */
    readonly most: number;
    /** How many nodes the smallest attempt has that holds all of these; null when none does. */
    readonly smallestAttempt: number | null;
  };
}

export function mergeReport(
  nodes: readonly string[],
  verdict: MergeVerdict,
  { context, blockedNodes }: { readonly context: CommandContext; readonly blockedNodes: BlockedNodes },
): MergeReport {
  const { command, blockers, positions, listed, most } = verdict;
  const last = Math.max(...positions.values());
  const isListed = nodes.every((node) => positions.has(node));
  return {
    nodes,
    command: command ? commandReport(command, context) : null,
    blockers: blockers.map(([node, blocker]) => ({
      node: node ?? null,
      ...explainedBlocker(node === undefined ? nodes : [node], blocker, blockedNodes),
    })),
    turn: {
      positions: Object.fromEntries(positions),
      listed,
      most,
      smallestAttempt: isListed && last <= most ? Math.max(2, last) : null,
    },
  };
}
