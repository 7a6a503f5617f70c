import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KwokNodeClasses } from '../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../test/environment.ts';
import { applied, patched } from '../../../test/expectations/index.ts';
import { nodeClaim, nodePool } from '../../../test/factories/index.ts';
import { alteredClient } from '../../../test/support/altered-client.ts';
import { alteredCloud } from '../../../test/support/altered-cloud.ts';
import { CreateError } from '../../cloudprovider/errors.ts';
import type { CloudProvider } from '../../cloudprovider/types.ts';
import { ApiError } from '../../kube/errors.ts';
import { NodeClaims, NodePools } from '../../kube/resources.ts';
import { RegistrationHealth } from './registration-health.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

const health = async () =>
  (await env.client.get(NodePools, { name: 'web' })).status?.conditions?.find(
    ({ type }) => type === 'NodeRegistrationHealthy',
  );

const delay = async (nodeRegistrationDelay: string): Promise<void> => {
  await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay } });
  await env.clock.advance(1000);
};

async function makePool(): Promise<void> {
  await applied(env, NodePools, nodePool({ metadata: { name: 'web' } }));
  await env.clock.advance(1000);
}

/** Claims of the pool, or ones that only carry its name. */
async function makeClaims(count: number, isOwned = true): Promise<void> {
  const { metadata: pool } = await env.client.get(NodePools, { name: 'web' });
  const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'web', uid: pool.uid ?? '' };
  const metadata = { labels: { 'karpenter.sh/nodepool': 'web' }, ownerReferences: isOwned ? [owner] : [] };
  await applied(env, NodeClaims, ...Array.from({ length: count }, () => nodeClaim({ metadata })));
}

describe('5.6.1: the last four registrations', () => {
  const after = (...samples: readonly boolean[]): string => {
    const tracker = new RegistrationHealth();
    for (const sample of samples) tracker.record('pool', sample);
    return tracker.of('pool');
  };

  test.each([
    [[], 'Unknown'],
    [[true], 'Healthy'],
    [[false], 'Healthy'],
    [[false, false], 'Unhealthy'],
    [[false, false, true, true], 'Unhealthy'],
    [[false, false, true, true, true], 'Healthy'],
    [[true, true, true, false, true, false], 'Unhealthy'],
  ])('5.6.1: after %j the pool is %s', (samples, expected) => {
    expect(after(...samples)).toBe(expected);
  });

  test('5.6.1: what another sample would change is asked without counting it', () => {
    const tracker = new RegistrationHealth();
    tracker.record('pool', false);
    expect([tracker.after('pool', false), tracker.of('pool')]).toEqual(['Unhealthy', 'Healthy']);
  });
});

test('5.6.1: two claims without a node make their pool unhealthy, and a success after a change heals it', async () => {
  env.startOperator();
  await makePool();
  expect(await health()).toMatchObject({ status: 'Unknown', reason: 'AwaitingReconciliation' });
  await delay('1h');
  await makeClaims(1);
  await env.clock.advance(910_000);
  expect(await health()).toMatchObject({ status: 'Unknown' });
  await makeClaims(1);
  await env.clock.advance(910_000);
  const failed = { status: 'False', reason: 'RegistrationFailed', message: 'Failed to register node' };
  expect(await health()).toMatchObject(failed);
  await delay('1s');
  expect(await health()).toMatchObject({ status: 'Unknown' });
  await makeClaims(1);
  await env.clock.advance(10_000);
  expect(await health()).toMatchObject({ status: 'True', reason: 'NodeRegistrationHealthy' });
});

test('5.6.1: claims that the pool does not own are not counted', async () => {
  env.startOperator();
  await makePool();
  await makeClaims(1, false);
  await env.clock.advance(10_000);
  expect(await health()).toMatchObject({ status: 'Unknown' });
});

test('5.6.1: a success is counted though the pool could not be written at first', async () => {
  const base = env.api.client('karpenter');
  let refusals = 0;
  const client = alteredClient(base, {
    patch: async (resource, ref, patch, options, signal) => {
      const isHealth = JSON.stringify(patch.body).includes('"reason":"NodeRegistrationHealthy"');
      if (resource === (NodePools as unknown) && isHealth && ++refusals < 3) {
        throw new ApiError({ code: 409, reason: 'Conflict', message: 'changed meanwhile' });
      }
      return await base.patch(resource, ref, patch, options, signal);
    },
  });
  env.startOperator({}, { client });
  await makePool();
  await makeClaims(1);
  await env.clock.advance(5000);
  expect([refusals, (await health())?.status]).toEqual([3, 'True']);
});

test('5.5.2: a pool whose launches fail is unhealthy for the reason of the launches', async () => {
  const create = async () => {
    throw new CreateError('refused', 'QuotaExceeded', 'ask for more');
  };
  env.startOperator({}, { cloud: alteredCloud(env.kwok(), { create }) });
  await makePool();
  await makeClaims(2);
  await env.clock.advance(360_000);
  expect(await health()).toMatchObject({ status: 'False', reason: 'QuotaExceeded', message: 'ask for more' });
});

test('5.6.2: a change of the pool or of its node class starts over', async () => {
  env.startOperator();
  await makePool();
  await makeClaims(1);
  await env.clock.advance(5000);
  expect(await health()).toMatchObject({ status: 'True' });
  await patched(env, NodePools, 'web', { spec: { weight: 7 } });
  await env.clock.advance(1000);
  expect(await health()).toMatchObject({ status: 'Unknown', reason: 'AwaitingReconciliation' });
  await makeClaims(1);
  await env.clock.advance(5000);
  expect(await health()).toMatchObject({ status: 'True' });
  await delay('2s');
  expect(await health()).toMatchObject({ status: 'Unknown' });
  const { metadata } = await env.client.get(KwokNodeClasses, { name: 'default' });
  const { status } = await env.client.get(NodePools, { name: 'web' });
  expect(status?.nodeClassObservedGeneration).toBe(metadata.generation);
});

test('5.6.2: a restarted controller goes on from what the condition says', async () => {
  const create: CloudProvider['create'] = async (claim) => ({
    ...claim,
    status: { providerID: `kwok://${claim.metadata.name}` },
  });
  const { kill } = env.startOperator({}, { cloud: alteredCloud(env.kwok(), { create }) });
  await makePool();
  await makeClaims(2);
  await env.clock.advance(910_000);
  expect(await health()).toMatchObject({ status: 'False' });
  await kill();
  env.startOperator();
  await env.clock.advance(1000);
  const seen: unknown[] = [];
  for (let successes = 1; successes <= 3; successes++) {
    await makeClaims(1);
    await env.clock.advance(5000);
    seen.push((await health())?.status);
  }
  // Two failures are remembered: it takes three successes to be rid of enough of them.
  expect(seen).toEqual(['False', 'False', 'True']);
});

test('5.6.2: so does one that finds a healthy pool', async () => {
  const { kill } = env.startOperator();
  await makePool();
  await makeClaims(1);
  await env.clock.advance(5000);
  await kill();
  const create = async () => {
    throw new CreateError('refused', 'QuotaExceeded', 'ask for more');
  };
  env.startOperator({}, { cloud: alteredCloud(env.kwok(), { create }) });
  await makeClaims(1);
  await env.clock.advance(360_000);
  expect(await health()).toMatchObject({ status: 'True' });
});
