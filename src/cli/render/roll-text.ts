import type { Roll } from '../../explain/roll-forecast.ts';
import { formatAge } from '../age.ts';
import { count } from '../amounts.ts';
import type { View } from './view.ts';

/** Steps shown before the rest is summed up. */
const SHOWN = 4;

/** How long replacing a pool's nodes takes, and in which windows. */
export function rollLines({ nodePool, method, nodes, steps, rounds, until, seconds }: Roll, { now }: View): string[] {
  const pool = `  NodePool ${nodePool}${method === 'StaticDrift' ? ' (static: one for one)' : ''}: `;
  if (until === null || seconds === null) {
    const reached = steps.reduce((sum, step) => sum + step.nodes, 0);
    return [`${pool}its budgets never let ${count(nodes - reached, 'node')} of ${nodes} go`];
  }
  const [only] = steps;
  if (steps.length === 1 && only && Date.parse(only.from) <= now) {
    return [`${pool}${pace(only)}, about ${formatAge(seconds * 1000)} in ${count(rounds, 'round')}`];
  }
  const shown = steps
    .slice(0, SHOWN)
    .map((step) => `    from ${step.from}  ${pace(step)}: ${count(step.nodes, 'node')}`);
  const rest = steps.slice(SHOWN).reduce((sum, step) => sum + step.nodes, 0);
  const more = rest > 0 ? [`    later  ${count(rest, 'node')}`] : [];
  return [`${pool}about ${formatAge(seconds * 1000)} in ${count(rounds, 'round')}, done ${until}`, ...shown, ...more];
}

function pace({ atOnce }: Roll['steps'][number]): string {
  return atOnce === null ? 'all at once (no budget in force)' : `${atOnce} at a time`;
}
