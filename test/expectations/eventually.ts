import { expect } from 'vitest';
import type { TestEnvironment } from '../environment.ts';
import { type Snapshot, snapshot } from './snapshot.ts';

const STEP_MS = 500;

/** Lets time pass until the cluster is as wanted; fails, showing how it is, when that takes too long. */
export async function eventually(
  env: TestEnvironment,
  wanted: (now: Snapshot) => boolean,
  limitMs = 60_000,
): Promise<Snapshot> {
  const end = env.clock.now() + limitMs;
  for (;;) {
    const now = await snapshot(env);
    if (wanted(now)) return now;
    if (env.clock.now() >= end) {
      const shown = {
        claims: now.claims.map((c) => [c.metadata.name, ...(c.status?.conditions ?? []).map((x) => x.type + x.status)]),
        nodes: now.nodes.map((n) => n.metadata.name),
        pods: now.pods.map((p) => `${p.metadata.name} ${p.spec.nodeName} ${p.status?.phase}`),
      };
      expect.fail(`not within ${limitMs / 1000}s: ${wanted}\n${JSON.stringify(shown, null, 2)}`);
    }
    await env.clock.advance(STEP_MS);
  }
}
