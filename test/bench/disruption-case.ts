import { fileURLToPath } from 'node:url';
import { METHOD_NAMES } from '../../src/disruption/index.ts';
import { asGood, same } from '../parity/decisions-agree.ts';
import { type ourMethod, upstreamMethods } from '../parity/disruption-decision.ts';
import { runProcess } from './run-process.ts';
import { growth, header, median, millis, pair, row, times } from './table.ts';
import type { BenchWorld } from './worlds.ts';

type Decision = ReturnType<typeof ourMethod>;

/** One side's answer for one cluster. */
interface Measured {
  /** By method; of ours the median run. */
  readonly millis: readonly number[];
  /** All methods of the first, cold run. */
  readonly firstRun: number;
  readonly decisions: readonly Decision[];
  readonly peakMb: number;
}

export interface DisruptionCase {
  readonly world: BenchWorld;
  readonly ours: Measured;
  /** Absent where upstream was not asked. */
  readonly theirs: Measured | undefined;
}

const NOW = '2026-12-01T00:00:00Z';

export const DISRUPTION_HEADER = header([
  'kind',
  'nodes',
  ...METHOD_NAMES,
  'all, ms',
  'first run',
  'ratio',
  'growth',
  'same decisions',
  'peak MB',
]);

/** `oracle` is absent where upstream would take too long. */
export async function measureDisruption(
  world: BenchWorld,
  runs: string,
  oracle: string | undefined,
): Promise<DisruptionCase> {
  return {
    world,
    ours: await measureOurs(world.file, runs),
    theirs: oracle ? await measureUpstream(oracle, world.file) : undefined,
  };
}

/** Times are `ours / upstream`; growth is how many times longer all methods take than on the `smaller` cluster. */
export function disruptionRow(now: DisruptionCase, smaller: DisruptionCase | undefined): string {
  const { world, ours, theirs } = now;
  return row([
    world.kind,
    `${world.size}`,
    ...ours.millis.map((time, i) => pair(millis(time), theirs && millis(theirs.millis[i] ?? 0))),
    pair(millis(total(ours)), theirs && millis(total(theirs))),
    millis(ours.firstRun),
    theirs ? times(total(theirs) / total(ours)) : '',
    smaller
      ? growth(
          [total(ours) / total(smaller.ours), theirs && smaller.theirs && total(theirs) / total(smaller.theirs)],
          world.size / smaller.world.size,
        )
      : '',
    theirs ? agreement(ours.decisions, theirs.decisions) : '',
    pair(ours.peakMb.toFixed(0), theirs?.peakMb.toFixed(0)),
  ]);
}

/** Ties between equal nodes are open upstream: as many nodes for no more money is as good. */
function agreement(ours: readonly Decision[], theirs: readonly Decision[]): string {
  const differing = ours.filter((own, i) => {
    const other = theirs[i];
    return !other || !same(own, other);
  });
  if (differing.length === 0) return 'yes';
  const worse = differing.filter((own) => {
    const other = theirs[ours.indexOf(own)];
    return !other || !asGood(own, other);
  });
  return worse.length === 0 ? 'as good' : `no: ${worse.map(({ method }) => method).join(', ')}`;
}

function total({ millis: byMethod }: Measured): number {
  return byMethod.reduce((sum, time) => sum + time, 0);
}

async function measureOurs(file: string, runs: string): Promise<Measured> {
  const script = fileURLToPath(new URL('./measure-disruption.ts', import.meta.url));
  const { output } = await runProcess(process.execPath, [script, file, runs, NOW]);
  const answer = JSON.parse(output) as Omit<Measured, 'millis'> & { readonly millis: readonly number[][] };
  const sum = (run: readonly number[] = []): number => run.reduce((a, b) => a + b, 0);
  return {
    ...answer,
    millis: METHOD_NAMES.map((_, i) => median(answer.millis.map((run) => run[i] ?? 0))),
    firstRun: sum(answer.millis[0]),
  };
}

async function measureUpstream(oracle: string, file: string): Promise<Measured> {
  const { output, peakMb } = await runProcess(oracle, ['disrupt', '-now', NOW, file]);
  const answer = JSON.parse(output);
  const byMethod: number[] = answer.methods.map((method: { readonly millis: number }) => method.millis);
  return { millis: byMethod, firstRun: 0, decisions: upstreamMethods(answer), peakMb };
}
