/**
 * Lets upstream's EC2 controller and ours loose on the same worlds, each over an account of its own, and compares all that
 * they asked of EC2 and wrote into the cluster.
 *
 *   node test/aws/upstream/run.ts [--worlds N] [--only NAME,…] [--keep FOLDER]
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LAUNCHER } from '../../e2e/programs.ts';
import { unexpectedCalls } from '../calls.ts';
import { compare } from './compare.ts';
import { upstreamController } from './controller.ts';
import { runSide, type Side } from './side.ts';
import type { World } from './world.ts';
import { WORLDS } from './worlds.ts';

const { values } = parseArgs({
  options: {
    worlds: { type: 'string', default: String(WORLDS.length) },
    only: { type: 'string' },
    keep: { type: 'string' },
  },
});
const only = values.only?.split(',');
const worlds = WORLDS.filter(({ name }) => !only || only.includes(name)).slice(0, Number(values.worlds));
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
const theirs = await side('upstream', worlds);
const ours = await side('ours', worlds);
const found = compare(worlds, ours, theirs);
for (const [name, list] of found) {
  console.log(`\n${name}`);
  for (const { path, ours: mine, theirs: other } of list) {
    console.log(`  ${path}\n    ours     ${JSON.stringify(mine)}\n    upstream ${JSON.stringify(other)}`);
  }
}
const problems = worlds.length === WORLDS.length ? unexpectedCalls('worlds', ours.journal) : [];
for (const problem of problems) console.log(problem);
const seconds = Math.round((performance.now() - start) / 1000);
console.log(`\n${worlds.length} worlds in ${seconds} s: ${worlds.length - found.size} alike, ${found.size} not.`);
if (!values.keep) await rm(folder, { recursive: true, force: true });
process.exit(found.size + problems.length > 0 ? 1 : 0);
