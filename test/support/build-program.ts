import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..', '..');

/** Vitest's global set-up: builds the program once, for all tests that start it. */
export async function setup(): Promise<void> {
  const node = join(root, 'node_modules', 'node', 'bin', 'node');
  await promisify(execFile)(node, [join(root, 'hack', 'build.ts')], { cwd: root });
}
