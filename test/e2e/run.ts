/**
 * Upstream's own end-to-end suite against a controller, on a real control plane with nodes of the real kwok; see
 * docs/e2e.md.
 *
 *   node test/e2e/run.ts                       the fast specs
 *   node test/e2e/run.ts --all --shards 3      all of them, on three clusters at once
 *   node test/e2e/run.ts --focus Termination   those whose title matches
 *   node test/e2e/run.ts --list                only tells which
 *
 * `--runtime embedded` runs them against `up --local`, `--controller upstream` with upstream's Go controller instead of
 * ours. `--write` records the results in reference.json and docs/e2e.md. Logs are kept when a spec fails, or with `--keep`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CONTROLLERS } from './controllers.ts';
import { embeddedCluster } from './embedded-cluster.ts';
import { writePage } from './page.ts';
import { buildPrograms } from './programs.ts';
import { expectedSeconds, isFast, readReference, record } from './reference.ts';
import { realCluster } from './runtimes.ts';
import { type Ran, runSpecs } from './shards.ts';
import { listSpecs } from './specs.ts';
import { progressLine, summary } from './summary.ts';

const { values } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    focus: { type: 'string' },
    controller: { type: 'string', default: 'ours' },
    runtime: { type: 'string', default: 'real' },
    shards: { type: 'string', default: '2' },
    list: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const RUNTIMES = ['real', 'embedded'] as const;
const controller = CONTROLLERS.find((name) => name === values.controller) ?? usage('--controller', CONTROLLERS);
const runtime = RUNTIMES.find((name) => name === values.runtime) ?? usage('--runtime', RUNTIMES);
const setup = runtime === 'embedded' ? runtime : controller;
const shards = Number(values.shards);
if (!(shards >= 1)) usage('--shards', ['a number']);

const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort(new Error(name)));
const print = (text: string): boolean => process.stdout.write(text);

const folder = await mkdtemp(join(tmpdir(), 'karpenter-e2e-'));
const programs = await buildPrograms();
const everySpec = await listSpecs(programs.suite, folder);
const reference = await readReference();
const focus = values.focus === undefined ? undefined : new RegExp(values.focus);
const chosen = everySpec.filter((spec) => (focus ? focus.test(spec) : values.all || isFast(spec, reference)));
// The longest first, so that no cluster has a long one left when the others are done.
const expected = (spec: string): number => expectedSeconds(spec, reference, setup);
const specs = chosen.toSorted((a, b) => expected(b) - expected(a));
if (values.list) print(chosen.map((spec) => `${spec}\n`).join(''));
else await runAll();

async function runAll(): Promise<void> {
  print(`${specs.length} of ${everySpec.length} specs on ${shards} clusters; logs in ${folder}\n`);
  const startCluster = runtime === 'embedded' ? embeddedCluster : realCluster(controller, programs);
  const work = { specs, shards, folder, suite: programs.suite, startCluster };
  const all: Ran[] = [];
  let failed = false;
  try {
    for await (const ran of runSpecs(work, stopping.signal)) {
      all.push(ran);
      failed ||= !ran.outcome.passed;
      print(progressLine(ran, all.length, specs.length));
    }
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    failed = true;
  }
  print(summary(all, setup, reference));
  if (values.write) {
    const results = new Map(all.map(({ spec, outcome }) => [spec, outcome]));
    await writePage(await record(setup, results, everySpec));
  }
  if (failed) process.exitCode = 1;
  if (failed || values.keep) print(`Logs are kept in ${folder}\n`);
  else await rm(folder, { recursive: true, force: true });
}

function usage(flag: string, choices: readonly string[]): never {
  process.stderr.write(`${flag}: expected ${choices.join(' or ')}\n`);
  process.exit(2);
}
