import type { Command } from '../../disruption/types.ts';
import { nodePoolName, stateNodeName } from '../../scheduling/state-node.ts';
import type { StateNode } from '../../scheduling/types.ts';

/** A command that is being carried out, as logs print it. */
export function commandText(command: Command, id: string): string {
  const { candidates, reason, savings } = command;
  const pools = [...new Set(candidates.map((node) => nodePoolName(node) ?? ''))].join(',');
  const what = `${command.decision}: nodepools=[${pools}]: ${movesOf(command)}`;
  return `${reason}/${id}: ${what} (savings: $${savings.toFixed(2)})`;
}

/** A command that is being thought of, as it is told to one of its candidates. */
export function proposalText(node: StateNode, command: Command): string {
  const count = command.candidates.length;
  if (count === 1) return `${command.decision}: ${movesOf(command)}`;
  return `${command.decision}: [${stateNodeName(node)}] (part of ${count}-node consolidation)`;
}

function movesOf({ candidates, replacements }: Command): string {
  const names = candidates.map(stateNodeName).join(', ');
  const count = replacements.length;
  return `[${names}]${count > 0 ? ` -> [${count} ${count === 1 ? 'replacement' : 'replacements'}]` : ''}`;
}
