import { open, rm } from 'node:fs/promises';
import type { Clock } from './clock.ts';

/** Somebody else holds the lock file for too long. */
export class LockedError extends Error {
  override readonly name = 'LockedError';
  readonly lockFile: string;

  constructor(lockFile: string) {
    super(`${lockFile} exists: another program is changing the file, or died while doing so`);
    this.lockFile = lockFile;
  }
}

/** Milliseconds. */
const RETRY = 50;
const PATIENCE = 5000;

/**
 * Runs `work` while holding `<file>.lock`, the lock that kubectl and client-go use for kubeconfigs.
 *
 * @throws {LockedError} when the lock is not to be had within five seconds.
 */
export async function withFileLock<T>(file: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const lockFile = `${file}.lock`;
  const end = clock.now() + PATIENCE;
  for (;;) {
    try {
      await (await open(lockFile, 'wx')).close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (clock.now() >= end) throw new LockedError(lockFile);
      await clock.sleep(RETRY);
    }
  }
  try {
    return await work();
  } finally {
    await rm(lockFile, { force: true });
  }
}
