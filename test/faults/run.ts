/**
 * Clusters in trouble, one for each seed: what must never happen, and what has to be in its place once all is well again.
 *
 *   node test/faults/run.ts [--seeds 100] [--seed 1|fresh] [--show] [--log]
 *
 * `--seed fresh` takes seeds that nobody has tried and says which. `--show` tells of every run, `--log`
 * what the controllers log. Exits with 1 when something
 * happened that must not.
 */
import { parseArgs } from 'node:util';
import type { FaultKind } from './fault-kinds.ts';
import { runSeed } from './run-seed.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    show: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
  },
});
const FRESH_SEEDS = 2 ** 31;
const first = values.seed === 'fresh' ? Math.floor(Math.random() * FRESH_SEEDS) : Number(values.seed);
const print = (text: string): boolean => process.stdout.write(`${text}\n`);
const totals = { runs: 0, kills: 0, launches: 0, evictions: 0, violations: 0 };
const faults = new Map<FaultKind, number>();
const started = performance.now();

for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const begun = performance.now();
  const outcome = await runSeed(seed, values.log ? print : undefined);
  totals.runs++;
  totals.kills += outcome.kills;
  totals.launches += outcome.launches;
  totals.evictions += outcome.evictions;
  totals.violations += outcome.violations.length;
  for (const [kind, count] of outcome.faults) faults.set(kind, (faults.get(kind) ?? 0) + count);
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const { kills, launches, evictions, violations } = outcome;
  if (values.show) print(`seed ${seed}: ${kills} kills, ${launches} launches, ${evictions} evictions, ${seconds} s`);
  if (violations.length === 0) continue;
  print(
    `\nseed ${seed} (node test/faults/run.ts --seeds 1 --seed ${seed})\n${violations.map((v) => `  ${v}`).join('\n')}`,
  );
}
const rows: readonly (readonly [string, number])[] = [
  ...Object.entries(totals),
  ...[...faults].sort(([a], [b]) => a.localeCompare(b)),
];
print(`\n${rows.map(([name, count]) => `${name.padEnd(24)}${String(count).padStart(8)}`).join('\n')}`);
print(`\n${Math.round((performance.now() - started) / 1000)} s, seeds ${first} to ${first + totals.runs - 1}`);
if (totals.violations > 0) process.exitCode = 1;
// Killed controllers wait for ever.
process.exit();
