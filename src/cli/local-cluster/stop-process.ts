import type { Clock } from '../../kube/clock.ts';

/** Milliseconds that a process gets to end by itself. */
const PATIENCE = 10_000;
const POLL = 20;

export interface StopProcessInput {
  readonly pid: number;
  /** Asked again and again: the process table alone doesn't tell, since an ended child may stay in it for a while. */
  readonly isRunning: () => Promise<boolean>;
  readonly clock: Clock;
}

/** Asks a process to end and waits until it has; after ten seconds it is killed. */
export async function stopProcess({ pid, isRunning, clock }: StopProcessInput): Promise<void> {
  signal(pid, 'SIGTERM');
  const deadline = clock.now() + PATIENCE;
  while (await isRunning()) {
    if (clock.now() > deadline) signal(pid, 'SIGKILL');
    await clock.sleep(POLL);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
