import { Flags } from '@oclif/core';

export type OutputFormat = 'text' | 'wide' | 'json' | 'yaml' | 'name';

/** `-o`, for a command whose answer is a report. */
export const outputFlag = Flags.option({
  char: 'o',
  options: ['json', 'yaml', 'wide', 'name'] as const,
  description: 'json, yaml, wide or name; a table without it',
  helpValue: 'FORMAT',
});

/** For a command that prints tables. */
export const tableFlags = {
  output: outputFlag(),
  'no-headers': Flags.boolean({ description: 'tables without their heads' }),
};
