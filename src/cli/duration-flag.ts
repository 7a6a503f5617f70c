import { parseDuration } from '../apis/duration.ts';
import { UsageError } from './user-error.ts';

/** Milliseconds of a flag's value: a duration such as `1m30s`, or a plain number of seconds. */
export function durationFlag(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const ms = parseDuration(text);
  if (ms === undefined || ms < 0) {
    throw new UsageError(`--${name} "${text}" is no duration`, { hints: [`--${name} 30s`] });
  }
  return ms;
}
