import type { PlannedClaimReport } from '../../explain/plan-report.ts';
import { count } from '../amounts.ts';

const SHOWN = 4;

/** Nodes to launch in a line: how many of which type in which pool, most first. */
export function launchedTypes(claims: readonly PlannedClaimReport[]): string {
  const kinds = Map.groupBy(claims, ({ instanceTypes, nodePool }) => `${instanceTypes[0]} of NodePool ${nodePool}`);
  const sorted = [...kinds].sort(([, a], [, b]) => b.length - a.length);
  const shown = sorted.slice(0, SHOWN).map(([kind, { length }]) => (length > 1 ? `${length} x ${kind}` : kind));
  const rest = sorted.slice(SHOWN).reduce((sum, [, { length }]) => sum + length, 0);
  return [...shown, ...(rest > 0 ? [`${count(rest, 'node')} more`] : [])].join(', ');
}
