import { mkdir, open, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { UserError } from '../user-error.ts';
import type { KubeconfigData } from './kubeconfig-entry.ts';

const LOCK_ATTEMPTS = 50;
const LOCK_WAIT_MS = 100;
/** A lock older than this was left by a program that died. */
const LOCK_STALE_MS = 30_000;

/** The file that contexts are written to, by kubectl's rules: flag, first path of KUBECONFIG, ~/.kube/config. */
export function kubeconfigPath(flag: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  if (flag) return flag;
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter(Boolean);
  return listed[0] ?? join(env.HOME || homedir(), '.kube', 'config');
}

/** Reads the file; undefined when there is none. Throws a UserError when it is no kubeconfig. */
export async function readKubeconfig(path: string): Promise<KubeconfigData | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unusable(path, (error as Error).message, error);
  }
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw unusable(path, (error as Error).message.split('\n')[0] ?? 'not valid YAML', error);
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw unusable(path, 'not a mapping');
  for (const key of ['clusters', 'contexts', 'users']) {
    const list = (value as KubeconfigData)[key];
    if (list !== undefined && list !== null && !Array.isArray(list)) throw unusable(path, `${key} is not a list`);
  }
  return value as KubeconfigData;
}

/** Changes the file under kubectl's own lock, in one step; the file is made when missing and removed for `undefined`. */
export async function changeKubeconfig(
  path: string,
  change: (config: KubeconfigData) => KubeconfigData | undefined,
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await locked(path, async () => {
      const before = await readKubeconfig(path);
      const after = change(before ?? {});
      if (after) await replaceFile(path, after);
      else if (before) await rm(path);
    });
  } catch (error) {
    throw error instanceof UserError ? error : unusable(path, (error as Error).message, error);
  }
}

async function replaceFile(path: string, config: KubeconfigData): Promise<void> {
  const { stringify } = await import('yaml');
  // A symbolic link keeps pointing where it did.
  const target = await realpath(path).catch(() => path);
  const temporary = `${target}.${process.pid}.tmp`;
  const mode = (await stat(target).catch(() => undefined))?.mode ?? 0o600;
  await writeFile(temporary, stringify(config, { lineWidth: 0 }), { mode });
  await rename(temporary, target);
}

async function locked(path: string, work: () => Promise<void>): Promise<void> {
  const lock = `${path}.lock`;
  for (let attempt = 0; ; attempt++) {
    try {
      await (await open(lock, 'wx')).close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt >= LOCK_ATTEMPTS) throw error;
      const age = Date.now() - ((await stat(lock).catch(() => undefined))?.mtimeMs ?? Date.now());
      if (age > LOCK_STALE_MS) await rm(lock, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, LOCK_WAIT_MS));
    }
  }
  try {
    await work();
  } finally {
    await rm(lock, { force: true });
  }
}

function unusable(path: string, reason: string, cause?: unknown): UserError {
  return new UserError(`kubeconfig ${path} can't be used`, {
    code: 'KE1201',
    because: [reason],
    hints: ['--kubeconfig FILE, to use another file'],
    cause,
  });
}
