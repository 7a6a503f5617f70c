import { Flags } from '@oclif/core';

/** `-o`, for a command whose answer is a report. */
export const outputFlag = Flags.option({
  char: 'o',
  options: ['json', 'yaml', 'wide'] as const,
  description: 'json, yaml or wide; text without it',
  helpValue: 'FORMAT',
});

const noHeaders = Flags.boolean({ description: 'tables without their heads' });

/** For a command that prints tables. */
export const tableFlags = { output: outputFlag(), 'no-headers': noHeaders };

/** The same for one whose rows are objects: `-o name` prints them as kubectl does. */
export const namedTableFlags = {
  output: Flags.option({
    char: 'o',
    options: ['json', 'yaml', 'wide', 'name'] as const,
    description: 'json, yaml, wide or name; a table without it',
    helpValue: 'FORMAT',
  })(),
  'no-headers': noHeaders,
};
