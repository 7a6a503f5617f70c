import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const node = join(root, 'node_modules', 'node', 'bin', 'node');

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Cli {
  /** An empty home, with the state folder inside. */
  readonly home: string;
  /** Runs one command line and waits for its end. `input` is its standard input. */
  run(
    args: readonly string[],
    options?: { readonly input?: string; readonly env?: Record<string, string> },
  ): Promise<CliResult>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The built program with a home of its own. */
export async function cli(): Promise<Cli> {
  const home = await mkdtemp(join(tmpdir(), 'cli-'));
  const base = { HOME: home, XDG_STATE_HOME: join(home, 'state'), PATH: process.env.PATH ?? '', TZ: 'UTC' };
  return {
    home,
    run: (args, { input = '', env = {} } = {}) =>
      new Promise((resolve) => {
        const child = execFile(
          node,
          ['--disable-warning=ExperimentalWarning', join(root, 'dist', 'main.js'), ...args],
          { cwd: root, env: { ...base, ...env }, maxBuffer: 2 ** 26 },
          (error, stdout, stderr) => {
            const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
            resolve({ code, stdout, stderr });
          },
        );
        child.stdin?.end(input);
      }),
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}
