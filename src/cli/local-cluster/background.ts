import { spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import type { Clock } from '../../kube/clock.ts';
import { EXIT } from '../exit-codes.ts';
import { UserError } from '../user-error.ts';
import type { ClusterRecord, StateFolder } from './state-folder.ts';

const POLL_MS = 20;
const LAST_LINES = 8;

export interface BackgroundInput {
  readonly folder: StateFolder;
  /** What to run, after Node itself. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Starts the program again without a terminal, its output in the cluster's log, and waits until the cluster is ready.
 * Throws a UserError with the log's last lines when it ends early or takes too long.
 */
export async function startInBackground(input: BackgroundInput): Promise<ClusterRecord> {
  const { folder, args, env, timeoutMs, clock, signal } = input;
  const log = await open(folder.logFile, 'a', 0o600);
  const { size: logged } = await log.stat();
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: { ...env, NO_COLOR: '1' },
  });
  await log.close();
  const ended = Promise.withResolvers<string>();
  child.once('error', (error) => ended.resolve(error.message));
  child.once('exit', (code, name) => ended.resolve(`it ended with ${name ?? `code ${code}`}`));
  const deadline = clock.now() + timeoutMs;
  for (;;) {
    const record = await folder.runningRecord();
    if (record) {
      child.unref();
      return record;
    }
    const end = await Promise.race([ended.promise, clock.sleep(POLL_MS, signal).then(() => undefined)]).catch(
      (error) => {
        child.kill('SIGTERM');
        throw error;
      },
    );
    // Another one was quicker to start: then its cluster is the one.
    if (end !== undefined) {
      if ((await folder.owner()) === undefined) throw await failure(folder, logged, end, EXIT.failed);
      await clock.sleep(POLL_MS, signal);
    }
    if (clock.now() > deadline) {
      child.kill('SIGTERM');
      throw await failure(folder, logged, `not ready after ${timeoutMs / 1000}s`, EXIT.timeout);
    }
  }
}

/** `logged` is how much of the log was there before this start. */
async function failure(folder: StateFolder, logged: number, reason: string, exitCode: number): Promise<UserError> {
  const log = await readFile(folder.logFile).catch(() => Buffer.alloc(0));
  const lines = log.subarray(logged).toString('utf8').trimEnd().split('\n').slice(-LAST_LINES);
  return new UserError(`the cluster "${folder.name}" did not start: ${reason}`, {
    code: 'KE1404',
    because: [lines.join('\n')],
    hints: [`cat ${folder.logFile}`],
    exitCode,
  });
}
