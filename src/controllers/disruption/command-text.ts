import type { Command } from '../../disruption/types.ts';
import { nodePoolName, stateNodeName } from '../../scheduling/state-node.ts';
import type { StateNode } from '../../scheduling/types.ts';

/** A command as logs and events print it. */
export function commandText(command: Command, id: string): string {
  const { candidates, replacements, reason, decision, savings } = command;
  const pools = [...new Set(candidates.map((node) => nodePoolName(node) ?? ''))].join(',');
  const names = candidates.map(stateNodeName).join(', ');
  const count = replacements.length;
  const target = count > 0 ? ` -> [${count} ${count === 1 ? 'replacement' : 'replacements'}]` : '';
  return `${reason}/${id}: ${decision}: nodepools=[${pools}]: [${names}]${target} (savings: $${savings.toFixed(2)})`;
}

/** The same, told to one of its candidates. */
export function commandTextFor(node: StateNode, command: Command, id: string): string {
  const count = command.candidates.length;
  if (count === 1) return commandText(command, id);
  return `${command.decision}: [${stateNodeName(node)}] (part of ${count}-node consolidation)`;
}
