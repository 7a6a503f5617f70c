/** The program: the entrance of the bundle, and of the sources (`npm run dev -- COMMAND`). */
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { dirname, join } from 'node:path';
import { commands } from '../commands/index.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { asText } from '../src/cli/input/read-text.ts';
import { Interrupted, type Io } from '../src/cli/io.ts';
import { main } from '../src/cli/main.ts';
import { programVersion } from '../src/cli/version.ts';

const root = dirname(import.meta.dirname);
enableCompileCache(join(root, 'dist', '.compile-cache'));

const stopping = new AbortController();
const stop = (name: 'SIGINT' | 'SIGTERM', exitCode: number): void => {
  // The second one doesn't wait for the clean-up.
  if (stopping.signal.aborted) process.exit(exitCode);
  stopping.abort(new Interrupted(name, exitCode));
};
process.on('SIGINT', () => stop('SIGINT', EXIT.interrupted));
process.on('SIGTERM', () => stop('SIGTERM', EXIT.terminated));
// A reader that went away, as `| head` does, ends the output and is no error.
process.stderr.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? EXIT.done : EXIT.failed),
);
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(EXIT.done);
  // At once: what listens after this would throw.
  process.stderr.write(`error: the answer can't be written: ${message}\n`);
  process.exit(EXIT.failed);
});

const io: Io = {
  stdout: process.stdout,
  stderr: process.stderr,
  readStdin: async () => asText(readFileSync(0)),
  env: process.env,
  cwd: process.cwd(),
  signal: stopping.signal,
};
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const code = await main({ commands, version: programVersion(version), root }, process.argv.slice(2), io);
// Idle connections and timers that nobody waits for must not keep the process; what was written must get out.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise<void>((resolve) => stream.write('', () => resolve()))),
);
process.exit(code);
