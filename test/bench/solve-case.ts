import { fileURLToPath } from 'node:url';
import { runProcess } from './run-process.ts';
import { growth, header, median, millis, pair, row, times } from './table.ts';
import type { BenchWorld } from './worlds.ts';

interface Measured {
  readonly millis: readonly number[];
  readonly nodes: number;
  /** Pods that have a place in the end. */
  readonly placed: number;
  readonly price: number;
  readonly peakMb: number;
}

/** Upstream's provisioner leaves the rest of the pods for its next pass. */
const PROVISIONER_LIMIT_MS = 60_000;

export interface SolveCase {
  readonly world: BenchWorld;
  readonly ours: Measured;
  readonly theirs: Measured;
}

export const SOLVE_HEADER = header([
  'kind',
  'pods',
  'ours, ms',
  'first run',
  'upstream, ms',
  'ratio',
  'growth',
  'placed',
  'nodes',
  'price',
  'peak MB',
]);

/**
 * One world packed by both sides: ours as often as `runs` says, in one process, upstream once. `patient` lets upstream go on
 * after the minute at which its provisioner stops.
 */
export async function measureSolve(
  oracle: string,
  world: BenchWorld,
  runs: string,
  patient: boolean,
): Promise<SolveCase> {
  return { world, ours: await measureOurs(world, runs), theirs: await measureUpstream(oracle, world, patient) };
}

/** Cells are `ours / upstream`; growth is how many times longer it takes than with the pods of the `smaller` case. */
export function solveRow(now: SolveCase, smaller: SolveCase | undefined): string {
  const { world, ours, theirs } = now;
  const [mine, yours] = [median(ours.millis), median(theirs.millis)];
  const both = (a: string, b: string): string => pair(a, a === b ? undefined : b);
  const isCut = theirs.placed < world.size && yours > PROVISIONER_LIMIT_MS;
  const grown = smaller && yours / median(smaller.theirs.millis);
  return row([
    world.kind,
    `${world.size}`,
    millis(mine),
    millis(ours.millis[0] ?? 0),
    millis(yours) + (isCut ? ' (cut)' : ''),
    (isCut ? '≥ ' : '') + times(yours / mine),
    smaller
      ? growth([mine / median(smaller.ours.millis), isCut ? undefined : grown], world.size / smaller.world.size)
      : '',
    both(`${ours.placed}`, `${theirs.placed}`),
    both(`${ours.nodes}`, `${theirs.nodes}`),
    both(ours.price.toFixed(2), theirs.price.toFixed(2)),
    pair(ours.peakMb.toFixed(0), theirs.peakMb.toFixed(0)),
  ]);
}

async function measureOurs({ file, instanceTypes }: BenchWorld, runs: string): Promise<Measured> {
  const script = fileURLToPath(new URL('./measure-solve.ts', import.meta.url));
  const types = instanceTypes ? [instanceTypes] : [];
  const { output } = await runProcess(process.execPath, [script, file, runs, ...types]);
  return JSON.parse(output) as Measured;
}

async function measureUpstream(
  oracle: string,
  { file, instanceTypes }: BenchWorld,
  patient: boolean,
): Promise<Measured> {
  const flags = [...(patient ? ['-patient'] : []), ...(instanceTypes ? ['-instance-types', instanceTypes] : [])];
  const { output, peakMb } = await runProcess(oracle, ['solve', ...flags, file]);
  const answer = JSON.parse(output);
  const claims: readonly { readonly pods: readonly string[] }[] = answer.newNodeClaims ?? [];
  const placed = claims.reduce((sum, { pods }) => sum + pods.length, 0);
  return { ...answer, placed, price: answer.totalPrice, peakMb };
}
