import type { DisruptionCommandReport } from './command-report.ts';

/** How much a move has to save to be worth it. */
export interface Threshold {
  /** Dollars an hour, or a share of what the nodes cost now. */
  readonly unit: 'hourly' | 'share';
  readonly value: number;
}

/** Reads `0.05` (dollars an hour) or `10%` (of the nodes' price); undefined for anything else. */
export function parseThreshold(text: string): Threshold | undefined {
  const match = /^\$?(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(text.trim());
  if (!match) return undefined;
  const value = Number(match[1]);
  return match[2] ? { unit: 'share', value: value / 100 } : { unit: 'hourly', value };
}

export function thresholdText({ unit, value }: Threshold): string {
  return unit === 'share' ? `${Number((value * 100).toPrecision(6))}%` : `$${value}/h`;
}

/** What the move saves, in the unit of the threshold. */
export function shareSaved(
  { savings, replacements }: Pick<DisruptionCommandReport, 'savings' | 'replacements'>,
  { unit }: Threshold,
): number {
  if (unit === 'hourly') return savings.hourly;
  const before = replacements.reduce((sum, { cheapestPrice }) => sum + cheapestPrice, savings.hourly);
  return before > 0 ? savings.hourly / before : 0;
}
