import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied, eventsSoFar, eventually } from '../../../../test/expectations/index.ts';
import { nodeClaim } from '../../../../test/factories/index.ts';
import { alteredClient } from '../../../../test/support/altered-client.ts';
import { alteredCloud } from '../../../../test/support/altered-cloud.ts';
import { CountedMetrics } from '../../../../test/support/counted-metrics.ts';
import { claimCondition, onlyClaim } from '../../../../test/support/only-claim.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { CreateError, InsufficientCapacityError, NodeClassNotReadyError } from '../../../cloudprovider/errors.ts';
import { ApiError } from '../../../kube/errors.ts';
import { Events, NodeClaims, Nodes } from '../../../kube/resources.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

const labels = { 'karpenter.sh/nodepool': 'web', 'karpenter.sh/capacity-type': 'spot' };

/** Starts the controller with a cloud that answers each purchase in this way. */
function startSelling(create: (claim: NodeClaim) => Promise<NodeClaim>) {
  const metrics = new CountedMetrics();
  env.startOperator({}, { cloud: alteredCloud(env.kwok(), { create }), metrics });
  return metrics;
}

test('5.1.1: a claim that is refused is tried again ever later, at last once a minute', async () => {
  const times: number[] = [];
  startSelling(async () => {
    times.push(env.clock.now());
    throw new Error('not today');
  });
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(240_000);
  const gaps = times.map((time, i) => time - (times[i - 1] ?? time));
  expect(gaps.slice(-6)).toEqual([4000, 8000, 16_000, 32_000, 60_000, 60_000]);
});

test('5.1.1: the claim of a node is looked at when its node changes', async () => {
  env.startOperator();
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(10_000);
  expect(await claimCondition(env, 'Initialized')).toMatchObject({ reason: 'NodeNotReady' });
  env.startCluster();
  await env.clock.advance(1000);
  expect(await claimCondition(env, 'Initialized')).toMatchObject({ status: 'True' });
});

test('5.1.2: nothing is bought before the claim has its finalizer, though others change the claim meanwhile', async () => {
  const finalizers: unknown[] = [];
  let conflicts = 0;
  const base = env.api.client('karpenter');
  const client = alteredClient(base, {
    patch: async (resource, ref, patch, options, signal) => {
      if (JSON.stringify(patch.body).includes('karpenter.sh/termination') && ++conflicts < 3) {
        throw new ApiError({ code: 409, reason: 'Conflict', message: 'changed meanwhile' });
      }
      return await base.patch(resource, ref, patch, options, signal);
    },
  });
  const kwok = env.kwok();
  const create = async (claim: NodeClaim) => {
    finalizers.push((await onlyClaim(env))?.metadata.finalizers);
    return await kwok.create(claim);
  };
  env.startOperator({}, { client, cloud: alteredCloud(kwok, { create }) });
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(1000);
  expect([conflicts > 2, finalizers]).toEqual([true, [['karpenter.sh/termination']]]);
});

test('5.1.2: a stage that fails keeps none of the others from their turn', async () => {
  startSelling(async () => {
    throw new Error('not today');
  });
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(500);
  expect(await claimCondition(env, 'Launched')).toMatchObject({ status: 'Unknown', reason: 'LaunchFailed' });
  expect(await claimCondition(env, 'Registered')).toMatchObject({
    status: 'Unknown',
    reason: 'NodeNotFound',
    message: 'Node not registered with cluster',
  });
});

test('5.1.3: claims of other providers are left alone', async () => {
  env.startOperator();
  const nodeClassRef = { group: 'example.com', kind: 'OtherNodeClass', name: 'x' };
  await applied(env, NodeClaims, nodeClaim({ spec: { nodeClassRef } }));
  await env.clock.advance(10_000);
  const claim = await onlyClaim(env);
  expect([claim?.metadata.finalizers, claim?.status]).toEqual([undefined, undefined]);
});

test('5.2.1: a claim is launched once though the result could not be written for more than an hour', async () => {
  let purchases = 0;
  const kwok = env.kwok();
  const create = async (claim: NodeClaim) => {
    purchases++;
    return await kwok.create(claim);
  };
  const base = env.api.client('karpenter');
  let isBroken = true;
  const client = alteredClient(base, {
    patch: async (resource, ref, patch, options, signal) => {
      if (isBroken && resource === (NodeClaims as unknown) && options?.subresource === 'status') {
        throw new ApiError({ code: 500, message: 'etcd is tired' });
      }
      return await base.patch(resource, ref, patch, options, signal);
    },
  });
  env.startOperator({}, { client, cloud: alteredCloud(kwok, { create }) });
  await applied(env, NodeClaims, nodeClaim());
  // Liveness gives the claim up after a while, but for the launch it is still the same one.
  await env.clock.advance(200_000);
  isBroken = false;
  await eventually(env, ({ claims }) => claims[0]?.status?.conditions?.some((c) => c.type === 'Registered') ?? false);
  expect([purchases, (await env.client.list(Nodes)).items.length]).toEqual([1, 1]);
});

test('5.2.2: a claim that nobody can serve is deleted, counted, and said to be why', async () => {
  const metrics = startSelling(async () => {
    throw new Error('asking the market', { cause: new InsufficientCapacityError(`all sold out ${'!'.repeat(400)}`) });
  });
  const [claim] = await applied(env, NodeClaims, nodeClaim({ metadata: { labels } }));
  await eventually(env, ({ claims }) => claims.length === 0);
  const counted = { reason: 'insufficient_capacity', nodepool: 'web', capacity_type: 'spot' };
  expect(metrics.of('nodeclaims_disrupted_total')).toEqual([counted]);
  const [event] = (await env.client.list(Events)).items;
  expect(event).toMatchObject({
    type: 'Warning',
    reason: 'InsufficientCapacityError',
    message: `NodeClaim ${claim?.metadata.name} event: asking the market`,
  });
});

test('5.2.2: the event says what kind of refusal it was, cut after 300 characters', async () => {
  startSelling(async () => {
    throw new InsufficientCapacityError('x'.repeat(400));
  });
  const [claim] = await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(1000);
  const [event] = (await env.client.list(Events)).items;
  const prefix = 'insufficient capacity, ';
  expect(event?.message).toBe(
    `NodeClaim ${claim?.metadata.name} event: ${prefix}${'x'.repeat(300 - prefix.length)}...`,
  );
});

test('5.2.2: a claim whose node class is not ready is deleted and counted, without an event of its own', async () => {
  const metrics = startSelling(async () => {
    throw new NodeClassNotReadyError('subnets not found');
  });
  await applied(env, NodeClaims, nodeClaim({ metadata: { labels } }));
  await eventually(env, ({ claims }) => claims.length === 0);
  expect(metrics.of('nodeclaims_disrupted_total')).toMatchObject([{ reason: 'nodeclass_not_ready' }]);
  // But that of its end, which every claim has.
  expect(await eventsSoFar(env)).toEqual(['NodeClaim Finalized']);
});

test('5.2.2: any other refusal is shown on the claim in the provider’s words, and tried again', async () => {
  let attempts = 0;
  startSelling(async () => {
    attempts++;
    throw new CreateError('refused', 'QuotaExceeded', 'ask for more');
  });
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(60_000);
  const shown = { status: 'Unknown', reason: 'QuotaExceeded', message: 'ask for more' };
  expect(await claimCondition(env, 'Launched')).toMatchObject(shown);
  expect(attempts).toBeGreaterThan(3);
});

test('5.2.2: a fault without words of its own is shown as LaunchFailed, cut after 300 characters', async () => {
  startSelling(async () => {
    throw new Error('y'.repeat(301));
  });
  await applied(env, NodeClaims, nodeClaim());
  await env.clock.advance(500);
  const message = `${'y'.repeat(300)}...`;
  expect(await claimCondition(env, 'Launched')).toMatchObject({ reason: 'LaunchFailed', message });
});

test('5.2.3: the claim gets what was bought; its own labels win, of annotations the provider’s do', async () => {
  startSelling(async (claim) => ({
    ...claim,
    metadata: {
      name: 'instance',
      labels: { team: 'theirs', 'topology.kubernetes.io/zone': 'test-zone-a' },
      annotations: { note: 'theirs', more: 'yes' },
    },
    status: { providerID: 'kwok://bought', imageID: 'image-7', capacity: { cpu: '4' }, allocatable: { cpu: '3900m' } },
  }));
  await applied(env, NodeClaims, nodeClaim({ metadata: { labels: { team: 'ours' }, annotations: { note: 'ours' } } }));
  await env.clock.advance(500);
  const claim = await onlyClaim(env);
  expect(claim?.metadata.labels).toMatchObject({ team: 'ours', 'topology.kubernetes.io/zone': 'test-zone-a' });
  expect(claim?.metadata.annotations).toMatchObject({ note: 'theirs', more: 'yes' });
  expect(claim?.status).toMatchObject({
    providerID: 'kwok://bought',
    imageID: 'image-7',
    capacity: { cpu: '4' },
    allocatable: { cpu: '3900m' },
  });
  expect(await claimCondition(env, 'Launched')).toMatchObject({ status: 'True', reason: 'Launched', message: '' });
});
