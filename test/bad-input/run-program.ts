import { join } from 'node:path';
import { commands } from '../../commands/index.ts';
import { main } from '../../src/cli/main.ts';
import { programVersion } from '../../src/cli/version.ts';

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const root = join(import.meta.dirname, '..', '..');

/** One command line in this process, as fast as it gets: `input` is standard input, and there is no cluster. */
export async function runProgram(args: readonly string[], input = ''): Promise<Answer> {
  let [stdout, stderr] = ['', ''];
  const code = await main({ commands, version: programVersion('0.0.0'), root }, args, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    readStdin: async () => input,
    env: { HOME: '/nonexistent', PATH: '' },
    cwd: root,
    signal: new AbortController().signal,
  });
  return { code, stdout, stderr };
}
