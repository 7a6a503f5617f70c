/**
 * Random worlds, decided by us and by upstream.
 *
 *   node test/parity/run.ts [--worlds 200] [--seed 1] [--level simple|mixed|all] [--show SEED]
 *
 * Without a level, thirds of each. Exits with 1 when a decision is different.
 */
import { parseArgs } from 'node:util';
import { compareWorld, type Verdict } from './compare-world.ts';
import { describeDifference } from './describe-difference.ts';
import { Oracle } from './oracle.ts';
import { type Level, randomWorld } from './random-world.ts';

const LEVELS: readonly Level[] = ['simple', 'mixed', 'all'];

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    level: { type: 'string' },
    show: { type: 'boolean', default: false },
    dump: { type: 'boolean', default: false },
  },
});
const first = Number(values.seed);
const count = Number(values.worlds);
const counts: Record<Verdict, number> = { equal: 0, equivalent: 0, listed: 0, different: 0 };
const features = new Map<string, number>();
const messages = { same: 0, all: 0 };
/** What became of pods, so that a comparison of worlds in which nothing happens would show. */
const pods = { onNewNodes: 0, onExistingNodes: 0, unplaced: 0 };

await using oracle = new Oracle();
for (let i = 0; i < count; i++) {
  const level = (values.level as Level | undefined) ?? LEVELS[Math.floor((i * LEVELS.length) / count)] ?? 'all';
  const world = randomWorld(first + i, level);
  if (values.dump)
    process.stdout.write(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: world.objects }, null, 1));
  const comparison = await compareWorld(world, oracle);
  counts[comparison.verdict]++;
  for (const claim of comparison.ours.newNodeClaims) pods.onNewNodes += claim.pods.length;
  for (const placed of Object.values(comparison.ours.existingNodes)) pods.onExistingNodes += placed.length;
  pods.unplaced += comparison.ours.podErrors.length;
  for (const [pod, text] of Object.entries(comparison.ours.messages)) {
    const theirs = comparison.theirs.map((decision) => decision.messages[pod]).filter((other) => other !== undefined);
    if (theirs.length === 0) continue;
    messages.all++;
    if (theirs.includes(text)) messages.same++;
  }
  for (const feature of world.features) features.set(feature, (features.get(feature) ?? 0) + 1);
  if (comparison.verdict === 'different' || (values.show && comparison.verdict !== 'equal')) {
    process.stdout.write(
      `\nseed ${world.seed}, level ${level}: ${comparison.verdict}\n${describeDifference(comparison)}\n`,
    );
  }
}
process.stdout.write(
  `\ncompared ${count}, equal ${counts.equal}, equivalent ${counts.equivalent}, listed ${counts.listed}, different ${counts.different}\n`,
);
process.stdout.write(
  `pods on new nodes ${pods.onNewNodes}, on existing ones ${pods.onExistingNodes}, unplaced ${pods.unplaced}\n`,
);
process.stdout.write(`errors in upstream's words ${messages.same} of ${messages.all}\n\n`);
process.stdout.write('| feature | worlds |\n|---|---|\n');
for (const [feature, worlds] of [...features].sort((a, b) => b[1] - a[1]))
  process.stdout.write(`| ${feature} | ${worlds} |\n`);
if (counts.different > 0) process.exitCode = 1;
