/**
 * Packer and disruption engine against upstream's, one after the other on the same worlds, as Markdown tables.
 *
 *   node test/bench/run.ts [--quick] [--runs 3] [--seed 1]
 *   node test/bench/run.ts --solve diverse:5000 --solve replicas:10000
 *   node test/bench/run.ts --disrupt packed:1000 [--upstream-up-to 500]
 *
 * Without cases, all of both. `--large` adds clusters of 5,000 nodes. Upstream's time on a packed cluster grows with the
 * square of its size: beyond `--upstream-up-to` nodes only ours runs there.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { oracleBinary } from '../parity/oracle.ts';
import { DISRUPTION_HEADER, type DisruptionCase, disruptionRow, measureDisruption } from './disruption-case.ts';
import { SOLVE_HEADER, solveRow } from './solve-case.ts';

const { values } = parseArgs({
  options: {
    solve: { type: 'string', multiple: true },
    disrupt: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    large: { type: 'boolean', default: false },
    'upstream-up-to': { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string' },
  },
});
const runs = values.runs ?? (values.quick ? '1' : '3');
const given = values.solve || values.disrupt;
const solves = values.solve ?? (given ? [] : solveCases());
const disruptions = values.disrupt ?? (given ? [] : disruptionCases());
const oracle = oracleBinary();
const folder = mkdtempSync(join(tmpdir(), 'bench-'));
const print = (text: string): boolean => process.stdout.write(text);
try {
  print(
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores, Node ${process.version}, upstream with ${goVersion()}\n`,
  );
  await solveTable();
  await disruptionTable();
} finally {
  rmSync(folder, { recursive: true });
}

function solveCases(): readonly string[] {
  return values.quick ? ['diverse:1000'] : ['diverse:1000', 'diverse:5000', 'preferences:1000', 'replicas:10000'];
}

function disruptionCases(): readonly string[] {
  const sizes = values.quick ? [50, 200] : [50, 200, 500, 1000, ...(values.large ? [5000] : [])];
  return ['fragmented', 'packed'].flatMap((kind) => sizes.map((size) => `${kind}:${size}`));
}

function goVersion(): string {
  const text = execFileSync('go', ['version', oracle], { encoding: 'utf8' });
  return /go\d[\d.]*/.exec(text.slice(text.lastIndexOf(':')))?.[0] ?? 'Go';
}

function world(kind: string, size: string, flag: '-pods' | '-nodes'): string {
  const file = join(folder, `${kind}-${size}.json`);
  const args = ['gen', '-kind', kind, flag, size, '-seed', values.seed];
  writeFileSync(file, execFileSync(oracle, args, { maxBuffer: 2 ** 30 }));
  return file;
}

function split(text: string): readonly [string, string] {
  const [kind = '', size = '1000'] = text.split(':');
  return [kind, size];
}

async function solveTable(): Promise<void> {
  if (solves.length > 0) print(`\n${SOLVE_HEADER}`);
  for (const [kind, pods] of solves.map(split)) {
    print(await solveRow(oracle, world(kind, pods, '-pods'), kind, pods, runs));
  }
}

async function disruptionTable(): Promise<void> {
  if (disruptions.length > 0) print(`\n${DISRUPTION_HEADER}`);
  let last: DisruptionCase | undefined;
  for (const [kind, size] of disruptions.map(split)) {
    const nodes = Number(size);
    const asked = kind !== 'packed' || nodes <= Number(values['upstream-up-to']) ? oracle : undefined;
    const measured = await measureDisruption({ file: world(kind, size, '-nodes'), kind, nodes }, runs, asked);
    print(disruptionRow(measured, last?.kind === kind ? last : undefined));
    last = measured;
  }
}
