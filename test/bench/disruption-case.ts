import { fileURLToPath } from 'node:url';
import { METHOD_NAMES } from '../../src/disruption/index.ts';
import { asGood, same } from '../parity/compare-fleet.ts';
import { type MethodDecision, upstreamMethods } from '../parity/disruption-decision.ts';
import { runProcess } from './run-process.ts';
import { header, median, millis, pair, row } from './table.ts';

/** One side's answer for one cluster. */
interface Measured {
  /** By method; of ours the median run. */
  readonly millis: readonly number[];
  /** All methods of the first, cold run. */
  readonly firstRun: number;
  readonly decisions: readonly MethodDecision[];
  readonly peakMb: number;
}

export interface DisruptionCase {
  readonly kind: string;
  readonly nodes: number;
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

export async function measureDisruption(
  world: { readonly file: string; readonly kind: string; readonly nodes: number },
  runs: string,
  oracle: string | undefined,
): Promise<DisruptionCase> {
  const { file, kind, nodes } = world;
  return {
    kind,
    nodes,
    ours: await measureOurs(file, runs),
    theirs: oracle ? await measureUpstream(oracle, file) : undefined,
  };
}

/** Times are `ours / upstream`; growth is how many times longer all methods take than on the `smaller` cluster. */
export function disruptionRow(now: DisruptionCase, smaller: DisruptionCase | undefined): string {
  const { ours, theirs } = now;
  const growth = (own: Measured, before: Measured | undefined): string | undefined =>
    before && `${(total(own) / total(before)).toFixed(1)}×`;
  const grown = growth(ours, smaller?.ours);
  return row([
    now.kind,
    `${now.nodes}`,
    ...ours.millis.map((time, i) => pair(millis(time), theirs && millis(theirs.millis[i] ?? 0))),
    pair(millis(total(ours)), theirs && millis(total(theirs))),
    millis(ours.firstRun),
    theirs ? `${(total(theirs) / total(ours)).toFixed(0)}×` : '',
    grown && smaller
      ? `${pair(grown, theirs && growth(theirs, smaller.theirs))} for ${now.nodes / smaller.nodes}× the nodes`
      : '',
    theirs ? agreement(ours.decisions, theirs.decisions) : '',
    pair(ours.peakMb.toFixed(0), theirs?.peakMb.toFixed(0)),
  ]);
}

/** Ties between equal nodes are open upstream: as many nodes for no more money is as good. */
function agreement(ours: readonly MethodDecision[], theirs: readonly MethodDecision[]): string {
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

function total({ millis: times }: Measured): number {
  return times.reduce((sum, time) => sum + time, 0);
}

async function measureOurs(file: string, runs: string): Promise<Measured> {
  const script = fileURLToPath(new URL('./measure-disruption.ts', import.meta.url));
  const { output } = await runProcess(process.execPath, [script, file, runs, NOW]);
  const answer = JSON.parse(output) as Omit<Measured, 'millis'> & { readonly millis: readonly number[][] };
  const sum = (times: readonly number[] = []): number => times.reduce((a, b) => a + b, 0);
  return {
    ...answer,
    millis: METHOD_NAMES.map((_, i) => median(answer.millis.map((times) => times[i] ?? 0))),
    firstRun: sum(answer.millis[0]),
  };
}

async function measureUpstream(oracle: string, file: string): Promise<Measured> {
  const { output, peakMb } = await runProcess(oracle, ['disrupt', '-now', NOW, file]);
  const answer = JSON.parse(output);
  const times: number[] = answer.methods.map((method: { readonly millis: number }) => method.millis);
  return { millis: times, firstRun: 0, decisions: upstreamMethods(answer), peakMb };
}
