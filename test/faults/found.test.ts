/** What clusters in trouble have shown (run.ts), each in its smallest form. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CreateError } from '../../src/cloudprovider/errors.ts';
import { NodePools, Pods } from '../../src/kube/resources.ts';
import { TestEnvironment } from '../environment.ts';
import { applied, eventually, snapshot } from '../expectations/index.ts';
import { nodePool, requesting, unschedulablePod } from '../factories/index.ts';
import { alteredCloud } from '../support/altered-cloud.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startCluster();
});
afterEach(async () => await env.close());

test('8.3: a claim whose launch is being tried again counts towards the limits of its pool', async () => {
  const kwok = env.kwok();
  let open = false;
  const cloud = alteredCloud(kwok, {
    create: async (claim) => {
      if (!open) throw new CreateError('refused', 'Refused', 'not now');
      return await kwok.create(claim);
    },
  });
  env.startOperator({}, { cloud });
  const requirements = [{ key: 'karpenter.kwok.sh/instance-cpu', operator: 'Lte', values: ['4'] } as const];
  await applied(env, NodePools, nodePool({ spec: { template: { spec: { requirements } }, limits: { cpu: '6' } } }));
  const big = () => unschedulablePod({ spec: requesting({ cpu: '3' }) });
  await applied(env, Pods, big());
  await eventually(
    env,
    ({ claims }) => claims[0]?.status?.conditions?.some(({ reason }) => reason === 'Refused') ?? false,
  );
  await applied(env, Pods, big());
  await env.clock.advance(30_000);
  open = true;
  await env.clock.advance(120_000);
  const { claims, nodes } = await snapshot(env);
  expect([claims.length, nodes.length]).toEqual([1, 1]);
});
