/**
 * Clusters on EC2 in trouble, one for each seed.
 *
 *   node --expose-gc test/faults/aws/run.ts [--seeds 10] [--seed 1|fresh] [--hours 24] [--log]
 *
 * `--seed fresh` takes seeds that nobody has tried and says which. `--log` tells what the controllers log. The heap after
 * each six hours is told when the garbage collector is exposed. Exits with 1 when something happened that must not.
 */
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    hours: { type: 'string', default: '24' },
    log: { type: 'boolean', default: false },
  },
});
const MINUTES_AN_HOUR = 60;
const FRESH_SEEDS = 2 ** 31;
const HEAP_EVERY_HOURS = 6;
const first = values.seed === 'fresh' ? Math.floor(Math.random() * FRESH_SEEDS) : Number(values.seed);
const print = (text: string): boolean => process.stdout.write(`${text}\n`);

for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const begun = performance.now();
  const heaps: number[] = [];
  let hour = 0;
  const onHour = () => {
    if (++hour % HEAP_EVERY_HOURS !== 0 || !globalThis.gc) return;
    globalThis.gc();
    heaps.push(Math.round(process.memoryUsage().heapUsed / 2 ** 20));
  };
  const outcome = await soak({
    seed,
    minutes: Number(values.hours) * MINUTES_AN_HOUR,
    onHour,
    ...(values.log ? { tell: print } : {}),
  });
  const { kills, launches, evictions, mostTemplates, faults, violations } = outcome;
  const troubles = [...faults.values()].reduce((sum, count) => sum + count, 0);
  const seconds = Math.round((performance.now() - begun) / 1000);
  print(
    `seed ${seed}: ${kills} kills, ${launches} launches, ${evictions} evictions, ${troubles} faults, at most ` +
      `${mostTemplates} launch templates${heaps.length > 0 ? `, heap ${heaps.join(', ')} MB` : ''}, ${seconds} s`,
  );
  for (const violation of violations) print(`  ${violation}`);
  if (violations.length > 0) process.exitCode = 1;
}
print(`seeds ${first} to ${first + Number(values.seeds) - 1}`);
// Killed controllers wait for ever.
process.exit();
