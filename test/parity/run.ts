/**
 * Random worlds, decided by us and by upstream. docs/parity.md says what is compared.
 *
 *   npm run parity -- [--worlds 300] [--seed 1|fresh] [--level simple|mixed|all] [--show] [--dump]
 *
 * Without a level, thirds of each. `--seed fresh` takes seeds that nobody has tried and says which. `--show` prints equivalent
 * and listed decisions too, `--dump` the worlds. Exits with 1 when a decision is different.
 */
import { parseArgs } from 'node:util';
import { compareWorld } from './compare-world.ts';
import { describeDifference } from './describe-difference.ts';
import { Oracle } from './oracle.ts';
import { LEVELS, type Level, randomWorld } from './random-world.ts';
import { Tally } from './tally.ts';

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    level: { type: 'string' },
    show: { type: 'boolean', default: false },
    dump: { type: 'boolean', default: false },
  },
});
const FRESH_SEEDS = 2 ** 31;
const first = values.seed === 'fresh' ? Math.floor(Math.random() * FRESH_SEEDS) : Number(values.seed);
const count = Number(values.worlds);
const given = LEVELS.find((level) => level === values.level);
const levelOf = (i: number): Level => given ?? LEVELS[Math.floor((i * LEVELS.length) / count)] ?? 'all';
const tally = new Tally();
const started = Date.now();

await using oracle = new Oracle();
for (let i = 0; i < count; i++) {
  const world = randomWorld(first + i, levelOf(i));
  if (values.dump) {
    process.stdout.write(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: world.objects }, null, 1));
  }
  const comparison = await compareWorld(world, oracle);
  tally.add(world, comparison);
  const { verdict, steady } = comparison;
  if (verdict !== 'different' && !(values.show && verdict !== 'equal')) continue;
  const { seed, level } = world;
  process.stdout.write(
    `\nseed ${seed}, level ${level}: ${verdict}${steady ? ', upstream never varies' : ''}   (npm run parity -- --worlds 1 --seed ${seed} --level ${level})\n${describeDifference(comparison)}\n`,
  );
}
process.stdout.write(`${tally.features()}\n${tally.summary()}\n`);
process.stdout.write(
  `${Math.round((Date.now() - started) / 1000)} s; the same worlds again: npm run parity -- --worlds ${count} --seed ${first}${given ? ` --level ${given}` : ''}\n`,
);
if (tally.verdicts.different > 0) process.exitCode = 1;
