import { header, row } from '../../bench/table.ts';
import type { LoadResult, Phase } from './scenario.ts';
import type { Usage } from './usage.ts';

/** Markdown tables of what was measured, one column a controller. */
export function loadTables(results: ReadonlyMap<string, LoadResult>): string {
  const names = [...results.keys()];
  const all = [...results.values()];
  const each = (cell: (result: LoadResult) => string): string[] => all.map(cell);
  const latency = (title: string, key: 'toClaim' | 'toNodeReady', share: number): string =>
    row([
      title,
      ...each(
        ({ latencies }) =>
          `${percentile(
            latencies.map((l) => l[key]),
            share,
          ).toFixed(0)} ms`,
      ),
    ]);
  const phases = (all[0]?.phases ?? []).flatMap(({ name }, index) => {
    const of = (cell: (phase: Phase) => string): string[] =>
      each(({ phases }) => (phases[index] ? cell(phases[index]) : ''));
    return [
      row([`${name}: time`, ...of(({ seconds }) => `${seconds.toFixed(1)} s`)]),
      row([`${name}: nodes`, ...of(({ nodes }) => `${nodes}`)]),
      row([`${name}: processor`, ...of(({ usage }) => cores(usage))]),
      row([`${name}: memory, p95`, ...of(({ usage }) => memory(usage))]),
    ];
  });
  return [
    header(['a pod that needs a node', ...names]),
    latency('pod → NodeClaim, median', 'toClaim', 0.5),
    latency('pod → NodeClaim, p95', 'toClaim', 0.95),
    latency('pod → node ready, median', 'toNodeReady', 0.5),
    latency('pod → node ready, p95', 'toNodeReady', 0.95),
    '\n',
    header(['1,000 pods up and down', ...names]),
    row(['idle: processor', ...each(({ idle }) => cores(idle))]),
    row(['idle: memory, p95', ...each(({ idle }) => memory(idle))]),
    ...phases,
  ].join('');
}

function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}

const cores = ({ cores: kept }: Usage): string => `${kept.toFixed(2)} cores`;
const memory = ({ memoryP95 }: Usage): string => `${memoryP95.toFixed(0)} MiB`;
