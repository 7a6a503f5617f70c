/**
 * Our packer against upstream's, one after the other on the same worlds.
 *
 *   node test/bench/run.ts [--kind diverse --pods 5000]… [--seed 1] [--runs 3]
 *
 * Ours is the median of the runs in one process, with the first, cold one beside it; upstream's is the median of as many.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { oracleBinary } from '../parity/oracle.ts';

interface Measured {
  readonly millis: readonly number[];
  readonly nodes: number;
  readonly unplaced: number;
  readonly price: number;
  readonly peakMb: number;
}

const CASES = [
  ['diverse', '1000'],
  ['diverse', '5000'],
  ['preferences', '1000'],
  ['replicas', '10000'],
] as const;

const { values } = parseArgs({
  options: {
    kind: { type: 'string', multiple: true },
    pods: { type: 'string', multiple: true },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '3' },
  },
});
const cases = values.kind?.map((kind, i) => [kind, values.pods?.[i] ?? '1000'] as const) ?? CASES;
const oracle = oracleBinary();
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
process.stdout.write('| kind | pods | ours ms | first run | upstream ms | ratio | nodes | price | peak MB |\n');
process.stdout.write('|---|---|---|---|---|---|---|---|---|\n');
try {
  for (const [kind, pods] of cases) {
    const file = join(folder, `${kind}-${pods}.json`);
    const world = execFileSync(oracle, ['gen', '-kind', kind, '-pods', pods, '-seed', values.seed], {
      maxBuffer: 2 ** 30,
    });
    writeFileSync(file, world);
    const ours = await measureOurs(file);
    const theirs = await measureUpstream(file);
    process.stdout.write(`${row(kind, pods, ours, theirs)}\n`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

function row(kind: string, pods: string, ours: Measured, theirs: Measured): string {
  const [mine, yours] = [median(ours.millis), median(theirs.millis)];
  const pair = (a: string, b: string): string => (a === b ? a : `${a} / ${b}`);
  return `| ${[
    kind,
    pods,
    mine.toFixed(0),
    (ours.millis[0] ?? 0).toFixed(0),
    yours.toFixed(0),
    `${(yours / mine).toFixed(1)}×`,
    pair(`${ours.nodes}`, `${theirs.nodes}`) + (ours.unplaced === theirs.unplaced ? '' : ' (unplaced differ)'),
    pair(ours.price.toFixed(2), theirs.price.toFixed(2)),
    `${ours.peakMb.toFixed(0)} / ${theirs.peakMb.toFixed(0)}`,
  ].join(' | ')} |`;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

async function measureOurs(file: string): Promise<Measured> {
  const script = fileURLToPath(new URL('./measure.ts', import.meta.url));
  const { output } = await run(process.execPath, [script, file, values.runs]);
  return JSON.parse(output) as Measured;
}

async function measureUpstream(file: string): Promise<Measured> {
  const { output, peakMb } = await run(oracle, ['solve', '-repeat', values.runs, file]);
  const answer = JSON.parse(output);
  return { ...answer, unplaced: Object.keys(answer.podErrors).length, price: answer.totalPrice, peakMb };
}

async function run(command: string, args: readonly string[]): Promise<{ output: string; peakMb: number }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  let peakMb = 0;
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-2000);
  });
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const poll = setInterval(() => {
    peakMb = Math.max(peakMb, highWater(child.pid));
  }, 50);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearInterval(poll);
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${errors}`);
  return { output, peakMb };
}

function highWater(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
