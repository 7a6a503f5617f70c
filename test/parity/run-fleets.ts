/**
 * Random running clusters, disrupted by us and by upstream: candidates, budgets and commands of all five methods.
 *
 *   npm run parity:fleets -- [--worlds 100] [--seed 1] [--level simple|mixed]
 *
 * Exits with 1 when a decision is different.
 */
import { parseArgs } from 'node:util';
import { compareFleet } from './compare-fleet.ts';
import type { Verdict } from './compare-world.ts';
import { Oracle } from './oracle.ts';
import { randomFleet } from './random-fleet.ts';
import type { Level } from './random-world.ts';

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    level: { type: 'string' },
    dump: { type: 'boolean', default: false },
  },
});
const first = Number(values.seed);
const count = Number(values.worlds);
const counts: Record<Verdict, number> = { equal: 0, equivalent: 0, listed: 0, different: 0 };
const features = new Map<string, number>();
const commands = new Map<string, number>();

await using oracle = new Oracle();
for (let i = 0; i < count; i++) {
  const level = (values.level as Level | undefined) ?? (i < count / 2 ? 'simple' : 'mixed');
  const fleet = randomFleet(first + i, level);
  if (values.dump) process.stdout.write(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: fleet.objects }));
  const comparison = await compareFleet(fleet, oracle);
  counts[comparison.verdict]++;
  for (const feature of fleet.features) features.set(feature, (features.get(feature) ?? 0) + 1);
  for (const { method, commands: given } of comparison.ours) {
    for (const { decision } of given) {
      const key = `command: ${method}, ${decision}`;
      commands.set(key, (commands.get(key) ?? 0) + 1);
    }
  }
  for (const { ours, theirs } of comparison.differences) {
    process.stdout.write(`\nseed ${fleet.seed}, level ${level}: ${ours.method}\n  ours     ${JSON.stringify(ours)}\n`);
    for (const text of new Set(theirs.map((t) => JSON.stringify(t)))) process.stdout.write(`  upstream ${text}\n`);
  }
}
process.stdout.write(
  `\ncompared ${count} fleets, equal ${counts.equal}, equivalent ${counts.equivalent}, listed ${counts.listed}, different ${counts.different}\n\n`,
);
process.stdout.write('| feature | fleets |\n|---|---|\n');
for (const [feature, fleets] of [...commands, ...[...features].sort((a, b) => b[1] - a[1])])
  process.stdout.write(`| ${feature} | ${fleets} |\n`);
if (counts.different > 0) process.exitCode = 1;
