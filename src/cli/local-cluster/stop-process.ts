import type { Clock } from '../../kube/clock.ts';

/** Milliseconds that a process gets to end by itself. */
const PATIENCE = 10_000;
const POLL = 50;

/** Asks a process to end and waits until it has; after ten seconds it is killed. */
export async function stopProcess(pid: number, clock: Clock): Promise<void> {
  if (!signal(pid, 'SIGTERM')) return;
  const deadline = clock.now() + PATIENCE;
  while (signal(pid, 0)) {
    if (clock.now() > deadline) signal(pid, 'SIGKILL');
    await clock.sleep(POLL);
  }
}

/** False when there is no such process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
