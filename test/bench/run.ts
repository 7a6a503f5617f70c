/**
 * Packer and disruption engine against upstream's, one after the other on the same worlds, commands from start to end, and the
 * launch path of the EC2 provider against upstream's, as Markdown tables.
 *
 *   node test/bench/run.ts [--quick] [--runs 3] [--seed 1]
 *   node test/bench/run.ts --solve diverse:5000 --solve replicas-ec2:10000
 *   node test/bench/run.ts --disrupt packed:1000 [--upstream-up-to 500]
 *
 * Without cases, everything: about a quarter of an hour, nearly all of it upstream's. Its provisioner stops after a minute;
 * with `--patient` it may finish. Its time on a packed cluster grows with the square of the size: beyond `--upstream-up-to`
 * nodes only ours runs there.
 */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { oracleBinary } from '../parity/oracle.ts';
import { COMMAND_HEADER, commandRow } from './command-case.ts';
import { DISRUPTION_HEADER, type DisruptionCase, disruptionRow, measureDisruption } from './disruption-case.ts';
import { providerTable } from './provider-case.ts';
import { measureSolve, SOLVE_HEADER, type SolveCase, solveRow } from './solve-case.ts';
import { BenchWorlds } from './worlds.ts';

const { values } = parseArgs({
  options: {
    solve: { type: 'string', multiple: true },
    disrupt: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false },
    patient: { type: 'boolean', default: false },
    'upstream-up-to': { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    runs: { type: 'string' },
  },
});
const runs = values.runs ?? (values.quick ? '1' : '3');
const all = !values.solve && !values.disrupt;
const solves = values.solve ?? (all ? solveCases() : []);
const disruptions = values.disrupt ?? (all ? disruptionCases() : []);
const oracle = oracleBinary();
const print = (text: string): boolean => process.stdout.write(text);

using worlds = new BenchWorlds(oracle, values.seed);
print(`${machine()}\n`);
await solveTable();
await disruptionTable();
if (all) {
  await commandTable();
  print(`\n## The EC2 provider\n\n${await providerTable(worlds.folder, runs, values.quick ? 100 : 500)}`);
}
print(`\n${load()} at the end.\n`);

function solveCases(): readonly string[] {
  if (values.quick) return ['diverse:1000', 'replicas:10000'];
  return [
    ...['diverse:1000', 'diverse:5000', 'diverse:20000'],
    ...['preferences:1000', 'preferences:4000'],
    ...['replicas:10000', 'replicas:100000'],
    ...['diverse-ec2:1000', 'diverse-ec2:5000', 'preferences-ec2:1000', 'replicas-ec2:10000'],
    'pools:2000',
  ];
}

function disruptionCases(): readonly string[] {
  const sizes = values.quick ? [50, 200] : [50, 200, 500, 1000, 5000];
  return ['fragmented', 'packed'].flatMap((kind) => sizes.map((size) => `${kind}:${size}`));
}

function machine(): string {
  const cores = cpus();
  const day = new Date().toISOString().slice(0, 10);
  const processor = `${cores.length} × ${cores[0]?.model.trim() ?? 'unknown processor'}`;
  return `${day}: ${processor}, Node ${process.version}, upstream v1.14.1 with ${goVersion()}. ${load()} at the start.`;
}

/** How many processes wanted a core. */
function load(): string {
  return `Load ${(loadavg()[0] ?? 0).toFixed(1)}`;
}

function goVersion(): string {
  const text = execFileSync('go', ['version', oracle], { encoding: 'utf8' });
  return /go\d[\d.]*/.exec(text.slice(text.lastIndexOf(':')))?.[0] ?? 'Go';
}

async function solveTable(): Promise<void> {
  if (solves.length > 0) print(`\n## Packing\n\n${SOLVE_HEADER}`);
  let last: SolveCase | undefined;
  for (const text of solves) {
    const measured = await measureSolve(oracle, worlds.make(text), runs, values.patient);
    print(solveRow(measured, last?.world.kind === measured.world.kind ? last : undefined));
    last = measured;
  }
}

async function disruptionTable(): Promise<void> {
  if (disruptions.length > 0) print(`\n## Disruption\n\n${DISRUPTION_HEADER}`);
  let last: DisruptionCase | undefined;
  for (const text of disruptions) {
    const world = worlds.make(text);
    const asked = world.kind !== 'packed' || world.size <= Number(values['upstream-up-to']) ? oracle : undefined;
    const measured = await measureDisruption(world, runs, asked);
    print(disruptionRow(measured, last?.world.kind === world.kind ? last : undefined));
    last = measured;
  }
}

async function commandTable(): Promise<void> {
  print(`\n## Commands\n\n${COMMAND_HEADER}`);
  const [pods, nodes] = values.quick ? ['1000', '200'] : ['5000', '1000'];
  const pending = worlds.make(`diverse:${pods}`);
  const packed = worlds.make(`packed:${nodes}`);
  const running = worlds.make(`fragmented:${nodes}`);
  for (const command of [
    { args: ['plan'], world: pending },
    { args: ['explain', 'pod', 'p000001'], world: pending },
    { args: ['consolidate', '--dry-run'], world: running },
    { args: ['consolidate', '--dry-run'], world: packed },
    { args: ['status'], world: packed },
  ]) {
    print(await commandRow(command, runs));
  }
}
