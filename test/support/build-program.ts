import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');

/** Vitest's global set-up: builds the program once, for all tests that start it. */
export async function setup(): Promise<void> {
  if (!startsProgram(process.argv.slice(2))) return;
  const node = join(root, 'node_modules', 'node', 'bin', 'node');
  await promisify(execFile)(node, [join(root, 'hack', 'build.ts')], { cwd: root });
}

/** A build takes longer than most tests: when files are asked for by name, only those that start the program wait for it. */
function startsProgram(args: readonly string[]): boolean {
  const named = args.filter((arg) => arg.endsWith('.test.ts') && existsSync(arg));
  return named.length === 0 || named.some((file) => /run-cli|'dist'/.test(readFileSync(file, 'utf8')));
}
