/** What clusters in trouble have shown (run.ts), each in its smallest form. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CreateError } from '../../src/cloudprovider/errors.ts';
import { ApiError, ConnectionError } from '../../src/kube/errors.ts';
import { NodeClaims, NodePools, Pods } from '../../src/kube/resources.ts';
import { DEFAULT_FEATURE_GATES } from '../../src/operator/options.ts';
import { TestEnvironment } from '../environment.ts';
import { applied, eventually, snapshot } from '../expectations/index.ts';
import { nodePool, requesting, unschedulablePod } from '../factories/index.ts';
import { alteredClient } from '../support/altered-client.ts';
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

test('8.11: a static pool grows no further than its limit when claims are listed anew as they were before', async () => {
  const api = env.api.client('karpenter');
  let first: unknown;
  let goesBack = false;
  let expire = (): void => {};
  const client = alteredClient(api, {
    list: async (resource, ...rest) => {
      const list = await api.list(resource, ...rest);
      if (resource.plural !== NodeClaims.plural) return list;
      first ??= list;
      if (!goesBack) return list;
      goesBack = false;
      return first as typeof list;
    },
    watch: async function* (resource, options, signal) {
      if (resource.plural !== NodeClaims.plural) return yield* api.watch(resource, options, signal);
      const expired = new AbortController();
      expire = () => expired.abort();
      yield* api.watch(resource, options, AbortSignal.any([signal, expired.signal]));
      if (!signal.aborted) throw new ApiError({ code: 410, reason: 'Expired' });
    },
  });
  env.startOperator({ featureGates: { ...DEFAULT_FEATURE_GATES, StaticCapacity: true } }, { client });
  await applied(env, NodePools, nodePool({ spec: { replicas: 4, limits: { nodes: '5' } } }));
  const { claims } = await eventually(env, ({ nodes }) => nodes.length === 4);
  goesBack = true;
  expire();
  await env.clock.advance(5000);
  const after = await snapshot(env);
  expect(goesBack).toBe(false);
  expect(after.claims.map(({ metadata }) => metadata.uid)).toEqual(claims.map(({ metadata }) => metadata.uid));
});

test.each(['can be looked up', 'can not be looked up'])(
  '3.10: a claim whose creation was not answered is not made again while the watch is late, when it %s',
  async (when) => {
    const lateUntil = env.clock.now() + 20_000;
    const api = env.api.client('karpenter');
    let isLost = true;
    const client = alteredClient(api, {
      create: async (resource, ...rest) => {
        const made = await api.create(resource, ...rest);
        if (resource.plural !== NodeClaims.plural || !isLost) return made;
        isLost = false;
        throw new ConnectionError('answer lost');
      },
      get: async (resource, ref, signal) => {
        const isEarly = resource.plural === NodeClaims.plural && env.clock.now() < lateUntil;
        if (isEarly && when === 'can not be looked up') throw new ConnectionError('refused');
        return await api.get(resource, ref, signal);
      },
      watch: async function* (resource, options, signal) {
        for await (const event of api.watch(resource, options, signal)) {
          const rest = lateUntil - env.clock.now();
          if (resource.plural === NodeClaims.plural && rest > 0) await env.clock.sleep(rest, signal);
          yield event;
        }
      },
    });
    env.startOperator({}, { client });
    await applied(env, NodePools, nodePool());
    await applied(env, Pods, unschedulablePod());
    await env.clock.advance(25_000);
    const { claims, nodes } = await snapshot(env);
    expect([isLost, claims.length, nodes.length]).toEqual([false, 1, 1]);
  },
);
