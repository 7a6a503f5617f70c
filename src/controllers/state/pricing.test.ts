import { expect, test } from 'vitest';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied } from '../../../test/expectations/index.ts';
import { nodePool } from '../../../test/factories/index.ts';
import { alteredCloud } from '../../../test/support/altered-cloud.ts';
import { NodePools } from '../../kube/resources.ts';

test('8.10: prices of every pool are asked for when it is made, and once an hour after that', async () => {
  const env = await TestEnvironment.open();
  try {
    const asked: number[] = [];
    const base = env.kwok();
    const cloud = alteredCloud(base, {
      getInstanceTypes: async (pool) => {
        asked.push(env.clock.now());
        return await base.getInstanceTypes(pool);
      },
    });
    env.startOperator({}, { cloud });
    await applied(env, NodePools, nodePool());
    await env.clock.advance(60_000);
    const start = asked[0] ?? expect.fail('never asked');
    const hourly = () => asked.filter((time) => time > start && (time - start) % 3_600_000 === 0).length;
    await env.clock.advance(3_600_000);
    expect(hourly()).toBeGreaterThanOrEqual(1);
  } finally {
    await env.close();
  }
});
