/**
 * Lets upstream's EC2 controller and ours loose on the same worlds, each over an account of its own, and compares all that
 * they asked of EC2 and wrote into the cluster.
 *
 *   node test/aws/upstream/run.ts [--write] [--worlds N] [--only NAME,…] [--keep FOLDER]
 *   node test/aws/upstream/run.ts --random N [--seed S] [--only NAME,…] [--keep FOLDER]
 *
 * All worlds give docs/aws-parity.md, which is compared, or written with --write.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LAUNCHER } from '../../e2e/programs.ts';
import { unexpectedCalls } from '../calls.ts';
import { compare } from './compare.ts';
import { upstreamController } from './controller.ts';
import { parityPage } from './page.ts';
import { randomWorlds } from './random-worlds.ts';
import { runSide, type Side } from './side.ts';
import type { World } from './world.ts';
import { WORLDS } from './worlds.ts';

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: '1000' },
    only: { type: 'string' },
    keep: { type: 'string' },
    write: { type: 'boolean' },
    random: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
});
const PAGE = resolve(import.meta.dirname, '../../../docs/aws-parity.md');
const only = values.only?.split(',');
const known = values.random ? randomWorlds(Number(values.random), Number(values.seed)) : WORLDS;
const worlds = known.filter(({ name }) => !only || only.includes(name)).slice(0, Number(values.worlds));
const folder = values.keep ? resolve(values.keep) : await mkdtemp(join(tmpdir(), 'kubectl-karpenter-aws-'));

async function side(name: 'ours' | 'upstream', of: readonly World[]): Promise<Side> {
  const command: [string, ...string[]] =
    name === 'ours' ? [LAUNCHER, 'controller', '--provider', 'aws'] : [await upstreamController()];
  const result = await runSide(command, of, join(folder, name));
  if (values.keep) {
    const outcomes = Object.fromEntries(result.outcomes);
    await writeFile(join(folder, `${name}.json`), JSON.stringify({ ...result, outcomes }, null, 2));
  }
  const launched = [...result.outcomes.values()].filter((outcome) => outcome.launched === 'yes').length;
  const undecided = [...result.outcomes]
    .filter(([, outcome]) => outcome.launched === 'undecided')
    .map(([world]) => world);
  console.log(
    `${name}: ${launched} of ${of.length} launched${undecided.length ? `, undecided: ${undecided.join(' ')}` : ''}`,
  );
  return result;
}

const start = performance.now();
const [theirs, ours] = await Promise.all([side('upstream', worlds), side('ours', worlds)]);
const comparison = compare(worlds, ours, theirs);
const { unlisted, listed } = comparison;
for (const [name, list] of unlisted) {
  console.log(`\n${name}`);
  for (const { path, ours: mine, theirs: other } of list) {
    console.log(`  ${path}\n    ours     ${JSON.stringify(mine)}\n    upstream ${JSON.stringify(other)}`);
  }
}
const problems: string[] = [];
if (!values.random && worlds.length === WORLDS.length) {
  problems.push(...unexpectedCalls('worlds', ours.journal));
  for (const [row, times] of listed) if (times === 0) problems.push(`no world shows the listed difference: ${row}`);
  if (unlisted.size + problems.length === 0) await checkPage(parityPage(worlds, ours, comparison));
}
for (const problem of problems) console.log(problem);
console.log(`\nlisted differences: ${[...listed].map(([row, times]) => `${row} (${times})`).join('; ')}`);
const seconds = Math.round((performance.now() - start) / 1000);
console.log(`\n${worlds.length} worlds in ${seconds} s: ${worlds.length - unlisted.size} alike, ${unlisted.size} not.`);
if (!values.keep) await rm(folder, { recursive: true, force: true });
process.exit(unlisted.size + problems.length > 0 ? 1 : 0);

async function checkPage(text: string): Promise<void> {
  if (values.write) await writeFile(PAGE, text);
  else if ((await readFile(PAGE, 'utf8').catch(() => '')) !== text) {
    problems.push('This is not what docs/aws-parity.md says: see what changed with --write.');
  }
}
