const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** A duration as Go's time.ParseDuration reads it (`1h30m`, `-1.5h`, `0`), in milliseconds; undefined if it isn't one. */
export function parseDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1;
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return 0;
  if (body === '') return undefined;
  let total = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < body.length) {
    const match = PART.exec(body);
    if (!match) return undefined;
    total += Number(match[1]) * (UNITS[match[2] ?? ''] ?? 0);
  }
  return sign * total;
}

/** What Go's time.ParseDuration says of a text that is none; it stops at the first part that it can't read. */
export function durationProblem(text: string): string {
  const quoted = JSON.stringify(text);
  const rest = text.replace(/^[+-]/, '').replace(/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)(?![^\d.]))*/, '');
  const unit = /^(?:\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest)?.[1];
  if (unit === undefined) return `time: invalid duration ${quoted}`;
  if (unit === '') return `time: missing unit in duration ${quoted}`;
  return `time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`;
}

/**
 * consolidateAfter and expireAfter: `Never` and what does not parse give undefined, which means "never" to all readers
 * (karpenter-core.md 1.2.16); an absent field has the default handed in.
 */
export function parseNillableDuration(text: string | undefined, absent: string): number | undefined {
  const value = text ?? absent;
  return value === 'Never' ? undefined : parseDuration(value);
}
