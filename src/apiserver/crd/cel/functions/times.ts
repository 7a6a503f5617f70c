import type { Environment, Optional as OptionalValue } from '@marcbachmann/cel-js';

/** Conversions of times, and `optional.ofNonZeroValue`, which cel-js lacks. */

interface DurationValue {
  readonly seconds: bigint;
  readonly nanos: number;
}

const BILLION = 1_000_000_000n;

/** Seconds, with as many decimals as there are: `5400s`, `-1.5s`. */
const durationText = ({ seconds, nanos }: DurationValue): string => {
  const total = seconds * BILLION + BigInt(nanos);
  const absolute = total < 0n ? -total : total;
  const fraction = String(absolute % BILLION)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${total < 0n ? '-' : ''}${absolute / BILLION}${fraction === '' ? '' : `.${fraction}`}s`;
};

const timestampText = (time: Date): string => time.toISOString().replace(/\.?0*Z$/, 'Z');

const isZero = (value: unknown): boolean => {
  if (value === null || value === undefined || value === false || value === '') return true;
  if (value === 0 || value === 0n) return true;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Map) return value.size === 0;
  const isMap = typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;
  return isMap && Object.keys(value).length === 0;
};

export const registerTimes = (env: Environment, optional: typeof OptionalValue): void => {
  env.registerFunction('string(google.protobuf.Duration): string', durationText);
  env.registerFunction('string(google.protobuf.Timestamp): string', timestampText);
  env.registerFunction('int(google.protobuf.Timestamp): int', (time: Date) =>
    BigInt(Math.floor(time.getTime() / 1000)),
  );
  env.registerFunction('OptionalNamespace.ofNonZeroValue(dyn): optional<dyn>', (_: unknown, value: unknown) =>
    isZero(value) ? optional.none() : optional.of(value),
  );
};
