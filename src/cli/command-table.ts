import type { Config } from '@oclif/core';
import type { BaseCommand } from './base-command.ts';
import type { NameKind } from './live-names.ts';

export type CommandGroup = 'See' | 'Try' | 'Run' | 'Plugin';

/** A command as oclif builds it. */
export type CommandClass = (new (
  argv: string[],
  config: Config,
) => BaseCommand) &
  Pick<typeof BaseCommand, 'id' | 'flags' | 'baseFlags' | 'description' | 'summary' | 'usage' | 'examples'>;

/** One line of the help page; the code behind it is loaded only when it runs. */
export interface CommandEntry {
  readonly group: CommandGroup;
  /** A fragment without a full stop. */
  readonly summary: string;
  readonly load: () => Promise<{ readonly default: CommandClass }>;
  /** Words that complete the first argument. */
  readonly words?: readonly string[];
  /** What completes the arguments after such a word, where it is no type of objects. */
  readonly names?: Readonly<Record<string, NameKind>>;
}

export type CommandTable = Readonly<Record<string, CommandEntry>>;
