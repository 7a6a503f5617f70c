import type { OutputStream } from './io.ts';

/** What may be written to one stream. Standard output and standard error are judged apart. */
export interface Terminal {
  readonly color: boolean;
  /** Lines may be rewritten: spinners, bars, live views. */
  readonly live: boolean;
  readonly unicode: boolean;
  /** Characters a line; infinite when not a terminal. */
  readonly width: number;
}

export type ColorFlag = 'auto' | 'always' | 'never';

/** In this order of strength: the flag, NO_COLOR, FORCE_COLOR, the stream. `TERM=dumb` counts as no terminal. */
export function terminalOf(
  stream: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
  flag: ColorFlag = 'auto',
): Terminal {
  const isTerminal = stream.isTTY === true && env.TERM !== 'dumb';
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return {
    color: wantsColor(isTerminal, env, flag),
    live: isTerminal && env.CI === undefined,
    unicode: isTerminal && (/utf-?8/i.test(locale) || env.TERM_PROGRAM !== undefined),
    width: isTerminal ? (stream.columns ?? 80) : Number.POSITIVE_INFINITY,
  };
}

function wantsColor(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>, flag: ColorFlag): boolean {
  if (flag !== 'auto') return flag === 'always';
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR && env.FORCE_COLOR !== '0') return true;
  return isTerminal;
}
