import { parseDuration } from '../apis/duration.ts';
import { goBoolean, goDecimal, goFloat, goInteger } from './go-values.ts';
import { OptionError } from './option-error.ts';

export type OptionValues = Readonly<Record<string, string | undefined>>;

/** How one type of option is read from a flag, where anything else is an error, and from the environment. */
export interface OptionType<T> {
  readonly fromFlag: (text: string) => T | undefined;
  readonly fromEnvironment: (text: string) => T | undefined;
  readonly problem: (flag: string, text: string) => string;
}

const parseError = (flag: string, text: string): string =>
  `invalid value ${JSON.stringify(text)} for flag -${flag}: parse error`;

export const INTEGER: OptionType<number> = { fromFlag: goInteger, fromEnvironment: goDecimal, problem: parseError };
export const FLOAT: OptionType<number> = { fromFlag: goFloat, fromEnvironment: goFloat, problem: parseError };
/** Milliseconds. */
export const DURATION: OptionType<number> = {
  fromFlag: parseDuration,
  fromEnvironment: parseDuration,
  problem: parseError,
};
/** Flags take the two words only, the environment whatever Go takes for a boolean. */
export const BOOLEAN: OptionType<boolean> = {
  fromFlag: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  fromEnvironment: goBoolean,
  problem: (flag, text) => {
    const value = JSON.stringify(text);
    return `invalid boolean value ${value} for -${flag}: ${value} is not a valid value, must be true or false`;
  },
};

const environmentName = (flag: string): string => flag.toUpperCase().replaceAll('-', '_');

/**
 * Reads options as upstream: a flag wins over its environment variable, and that over the default. A malformed number,
 * boolean or duration in the environment silently gives the default; in a flag it is an error (karpenter-core.md 10.1).
 */
export class OptionReader {
  readonly #flags: OptionValues;
  readonly #environment: OptionValues;

  /** @param flags by upstream's flag names, without dashes: `{'batch-idle-duration': '2s'}`. */
  constructor(flags: OptionValues, environment: OptionValues) {
    this.#flags = flags;
    this.#environment = environment;
  }

  /** @throws {OptionError} */
  read<T>(flag: string, { fromFlag, fromEnvironment, problem }: OptionType<T>, fallback: T): T {
    const given = this.#flags[flag];
    if (given !== undefined) {
      const value = fromFlag(given);
      if (value === undefined) throw new OptionError(`parsing flags, ${problem(flag, given)}`);
      return value;
    }
    const inherited = this.#environment[environmentName(flag)];
    return (inherited === undefined ? undefined : fromEnvironment(inherited)) ?? fallback;
  }

  text(flag: string, fallback: string): string {
    return this.#flags[flag] ?? this.#environment[environmentName(flag)] ?? fallback;
  }

  words(flag: string, fallback: readonly string[]): readonly string[] {
    return this.text(flag, fallback.join(',')).split(',');
  }

  /**
   * Wrong words are errors wherever they come from.
   *
   * @throws {OptionError}
   */
  choose<T extends string>(flag: string, choices: readonly T[], fallback: T): T {
    const given = this.text(flag, fallback);
    const choice = choices.find((c) => c === given);
    if (choice !== undefined) return choice;
    const name = environmentName(flag);
    throw new OptionError(`validating cli flags / env vars, invalid ${name} ${JSON.stringify(given)}`);
  }
}
