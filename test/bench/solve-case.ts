import { fileURLToPath } from 'node:url';
import { runProcess } from './run-process.ts';
import { header, median, pair, row } from './table.ts';

interface Measured {
  readonly millis: readonly number[];
  readonly nodes: number;
  readonly unplaced: number;
  readonly price: number;
  readonly peakMb: number;
}

export const SOLVE_HEADER = header([
  'kind',
  'pods',
  'ours ms',
  'first run',
  'upstream ms',
  'ratio',
  'nodes',
  'price',
  'peak MB',
]);

/** One world packed by both sides; ours is the median of the runs in one process, the first, cold one beside it. Upstream runs once. */
export async function solveRow(
  oracle: string,
  file: string,
  kind: string,
  pods: string,
  runs: string,
): Promise<string> {
  const ours = await measureOurs(file, runs);
  const theirs = await measureUpstream(oracle, file);
  const [mine, yours] = [median(ours.millis), median(theirs.millis)];
  const both = (a: string, b: string): string => pair(a, a === b ? undefined : b);
  return row([
    kind,
    pods,
    mine.toFixed(0),
    (ours.millis[0] ?? 0).toFixed(0),
    yours.toFixed(0),
    `${(yours / mine).toFixed(1)}×`,
    both(`${ours.nodes}`, `${theirs.nodes}`) + (ours.unplaced === theirs.unplaced ? '' : ' (unplaced differ)'),
    both(ours.price.toFixed(2), theirs.price.toFixed(2)),
    `${ours.peakMb.toFixed(0)} / ${theirs.peakMb.toFixed(0)}`,
  ]);
}

async function measureOurs(file: string, runs: string): Promise<Measured> {
  const script = fileURLToPath(new URL('./measure-solve.ts', import.meta.url));
  const { output } = await runProcess(process.execPath, [script, file, runs]);
  return JSON.parse(output) as Measured;
}

async function measureUpstream(oracle: string, file: string): Promise<Measured> {
  const { output, peakMb } = await runProcess(oracle, ['solve', file]);
  const answer = JSON.parse(output);
  return { ...answer, unplaced: Object.keys(answer.podErrors).length, price: answer.totalPrice, peakMb };
}
