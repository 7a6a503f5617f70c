/**
 * Random running clusters, disrupted by us and by upstream: candidates, budgets, events, the commands of all five methods, what
 * becomes of them when they are looked at again, and what comes of each candidate on its own.
 *
 *   npm run parity:fleets -- [--worlds 100] [--fresh 0] [--seed 1] [--level simple|mixed|all] [--minutes N]
 *
 * `--fresh` adds that many fleets whose seeds depend on the day; the seeds of differences are printed. After `--minutes` no
 * further fleet is begun. Exits with 1 when a decision is different.
 */
import { parseArgs } from 'node:util';
import { compareFleet, type FleetComparison } from './compare-fleet.ts';
import type { Verdict } from './compare-world.ts';
import { Oracle } from './oracle.ts';
import { randomFleet } from './random-fleet.ts';
import type { Level } from './random-world.ts';

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '100' },
    fresh: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    level: { type: 'string' },
    dump: { type: 'boolean', default: false },
    minutes: { type: 'string', default: 'Infinity' },
    quiet: { type: 'boolean', default: false },
  },
});
const LEVELS: readonly Level[] = ['simple', 'mixed', 'all', 'all'];
const started = Date.now();
const first = Number(values.seed);
const count = Number(values.worlds);
const freshFirst = 1_000_000 + (started % 1_000_000_000);
const seeds = [
  ...Array.from({ length: count }, (_, i) => first + i),
  ...Array.from({ length: Number(values.fresh) }, (_, i) => freshFirst + i),
];
const counts: Record<Verdict, number> = { equal: 0, equivalent: 0, listed: 0, different: 0 };
const features = new Map<string, number>();
const decisions = new Map<string, number>();
const note = (table: Map<string, number>, key: string): void => {
  table.set(key, (table.get(key) ?? 0) + 1);
};

let compared = 0;
await using oracle = new Oracle();
for (const seed of seeds) {
  if (Date.now() - started > Number(values.minutes) * 60_000) break;
  compared++;
  const level = (values.level as Level | undefined) ?? LEVELS[seed % LEVELS.length] ?? 'all';
  const fleet = randomFleet(seed, level);
  if (values.dump) process.stdout.write(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: fleet.objects }));
  const comparison = await compareFleet(fleet, oracle);
  counts[comparison.verdict]++;
  for (const feature of fleet.features) note(features, feature);
  noteDecisions(comparison);
  const shown = values.quiet
    ? []
    : [
        ...comparison.equivalents.map((e) => ({ ...e, about: `${e.about}, equivalent` })),
        ...comparison.listed.map((e) => ({ ...e, about: `${e.about}, listed` })),
      ];
  for (const { about, ours, theirs } of [...comparison.differences, ...shown]) {
    process.stdout.write(`\nseed ${seed}, level ${level}: ${about}\n  ours     ${ours}\n`);
    for (const text of theirs) process.stdout.write(`  upstream ${text}\n`);
  }
}

function noteDecisions({ ours, blockers }: FleetComparison): void {
  for (const { method, computed, rejected, commands, each } of ours) {
    for (const { decision } of computed) note(decisions, `${method}: ${decision}`);
    if (rejected) note(decisions, `${method}: rejected for ${rejected.slice(0, rejected.indexOf(':'))}`);
    else if (computed[0] && commands[0] && commands[0].candidates.length < computed[0].candidates.length) {
      note(decisions, `${method}: some of it rejected`);
    }
    for (const { command } of Object.values(each))
      if (command) note(decisions, `${method}, one node: ${command.decision}`);
  }
  for (const [key, found] of blockers) {
    for (const { code } of found) note(decisions, `blocker ${key.slice(0, key.indexOf(' '))}: ${code}`);
  }
}

const seconds = ((Date.now() - started) / 1000).toFixed(0);
process.stdout.write(
  `\ncompared ${compared} fleets in ${seconds} s, equal ${counts.equal}, equivalent ${counts.equivalent}, listed ${counts.listed}, different ${counts.different}\n`,
);
process.stdout.write(`seeds ${first}..${first + count - 1}`);
process.stdout.write(
  Number(values.fresh) > 0 ? `, fresh ${freshFirst}..${freshFirst + Number(values.fresh) - 1}\n\n` : '\n\n',
);
process.stdout.write('| decision or blocker | times |\n|---|---|\n');
for (const [decision, times] of [...decisions].sort()) process.stdout.write(`| ${decision} | ${times} |\n`);
process.stdout.write('\n| feature | fleets |\n|---|---|\n');
for (const [feature, fleets] of [...features].sort((a, b) => b[1] - a[1]))
  process.stdout.write(`| ${feature} | ${fleets} |\n`);
if (counts.different > 0) process.exitCode = 1;
