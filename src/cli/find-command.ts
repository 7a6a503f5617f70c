import { GLOBAL_VALUE_FLAGS } from './flags/global-value-flags.ts';

export interface SplitArguments {
  /** The first word that is no flag and no flag's value. */
  readonly command: string | undefined;
  /** Everything else, in order. */
  readonly rest: readonly string[];
}

/** Takes the command out of the arguments, wherever it stands among the global flags. */
export function findCommand(argv: readonly string[]): SplitArguments {
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (word === '--') break;
    if (!word.startsWith('-') || word === '-') return { command: word, rest: argv.toSpliced(i, 1) };
    if (GLOBAL_VALUE_FLAGS.has(word)) i++;
  }
  return { command: undefined, rest: argv };
}
