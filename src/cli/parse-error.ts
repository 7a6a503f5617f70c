import { nearest } from './nearest.ts';
import { UsageError } from './user-error.ts';

/** What oclif's parser throws, as far as it is read here. */
interface ParseError extends Error {
  readonly flags?: readonly string[];
  readonly args?: unknown;
}

/** An error of oclif's parser in kubectl's words. `flags` are the names that the command knows; `help` where to read. */
export function usageErrorOf(error: Error, flags: readonly string[], help: string): UsageError {
  const { flags: unknown, args } = error as ParseError;
  const firstLine = (error.message.split('\n')[0] ?? '').trim();
  if (error.constructor.name.includes('NonExistentFlags') || /^Nonexistent flag/.test(firstLine)) {
    const name = unknown?.[0] ?? firstLine.replace(/^Nonexistent flags?: /, '');
    const near = nearest(name.replace(/^-+/, '').replace(/=.*/, ''), flags, 2).map((flag) =>
      flag.length > 1 ? `--${flag}` : `-${flag}`,
    );
    return new UsageError(`unknown flag: ${name}`, { hints: near.length > 0 ? near : [help], cause: error });
  }
  if (/^Unexpected argument/.test(firstLine)) {
    return new UsageError(firstLine.replace('Unexpected argument', 'unexpected argument'), { hints: [help] });
  }
  if (/^Missing \d+ required arg/.test(firstLine)) {
    const names = Array.isArray(args) ? args.map((arg: { name?: string }) => arg.name?.toUpperCase()).join(' ') : '';
    return new UsageError(`missing ${names}`.trim(), { hints: [help] });
  }
  const parsing = /^Parsing (--?\S+)/.exec(firstLine);
  if (parsing) {
    const detail = (error.message.split('\n')[1] ?? '').trim();
    return new UsageError(`${parsing[1]}: ${detail.charAt(0).toLowerCase()}${detail.slice(1)}`, { hints: [help] });
  }
  const reason = firstLine.startsWith('The following error')
    ? (error.message.split('\n')[1] ?? firstLine).trim()
    : firstLine;
  return new UsageError(reason.charAt(0).toLowerCase() + reason.slice(1), { hints: [help] });
}
