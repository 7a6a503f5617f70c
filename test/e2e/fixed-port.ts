import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the specs of Chaos listen on: the default of their library for metrics. */
const PORT = 8080;
/** Longer than a spec of another run holds it. */
const PATIENCE = 10 * 60_000;
const AGAIN = 1000;

/** Whether a spec listens on a port that can't be chosen, so that a machine has room for one of them at a time. */
export const needsFixedPort = (spec: string): boolean => spec.startsWith('Chaos ');

/** Waits until the port is free. Throws when somebody keeps it. */
export async function untilPortIsFree(signal: AbortSignal): Promise<void> {
  const end = performance.now() + PATIENCE;
  while (!(await isFree())) {
    if (performance.now() > end) throw new Error(`port ${PORT}, which the spec listens on, is in use`);
    await sleep(AGAIN, undefined, { signal });
  }
}

async function isFree(): Promise<boolean> {
  const server = createServer().listen(PORT);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}
