import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../src/kube/client.ts';
import { CustomResourceDefinitions, Events, Leases, NodePools, Pods, StorageClasses } from '../src/kube/resources.ts';
import { DEFAULT_FEATURE_GATES, type OperatorOptions } from '../src/operator/options.ts';
import { PromMetrics } from '../src/operator/prom-metrics.ts';
import { TestEnvironment } from './environment.ts';
import { applied, snapshot } from './expectations/index.ts';
import { nodePool, unschedulablePod } from './factories/index.ts';
import { alteredCloud } from './support/altered-cloud.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

/** Upstream's, with everything at its default. */
const BY_DEFAULT = [
  ...['provisioner', 'provisioner.trigger.pod', 'provisioner.trigger.node', 'eviction-queue'],
  ...['disruption', 'disruption.queue'],
  ...['nodepool.hash', 'nodepool.readiness', 'nodepool.registrationhealth', 'nodepool.counter', 'nodepool.validation'],
  ...['nodeclaim.lifecycle', 'nodeclaim.expiration', 'nodeclaim.podevents', 'nodeclaim.consistency'],
  ...['nodeclaim.garbagecollection', 'nodeclaim.disruption', 'nodeclaim.hydration'],
  ...['node.termination', 'node.hydration', 'state.pricing'],
];
/** Main's, which mends a state that never synchronizes; and the fake cloud's, which takes machines back on demand. */
const OURS = ['state.nodeclaimgc', 'interruption'];
/** Measurements, which have tests of their own. */
const isMeasurement = (name: string): boolean => /^(metrics|operatorpkg)\./.test(name);

test.each<[string, Partial<OperatorOptions>, readonly string[]]>([
  ['by default', {}, []],
  [
    'with all gates on',
    {
      featureGates: {
        ...DEFAULT_FEATURE_GATES,
        NodeRepair: true,
        StaticCapacity: true,
        NodeOverlay: true,
        CapacityBuffer: true,
      },
    },
    ['node.health', 'static.provisioning', 'static.deprovisioning', 'nodeoverlay.controller', 'capacitybuffer'],
  ],
])('9.11: %s the controllers are upstream’s, under upstream’s names', (_, options, more) => {
  const { operator } = env.startOperator(options);
  const names = operator.controllers.filter((name) => !isMeasurement(name));
  expect([...names].sort()).toEqual([...BY_DEFAULT, ...OURS, ...more].sort());
});

describe('10.1: of two controllers', () => {
  const ELECTION = { disableLeaderElection: false };

  test('one leads, and says so; the other knows the cluster, is ready, and takes over', async () => {
    const metrics = new PromMetrics(env.kwok());
    const first = env.startOperator(ELECTION, { identity: 'first', metrics });
    await env.clock.advance(1000);
    const second = env.startOperator(ELECTION, { identity: 'second' });
    await env.clock.advance(5000);
    expect(second.operator.checks).toEqual({ manager: true, crd: true, readyz: true });
    expect((await metrics.text()).body).toContain('leader_election_master_status{name="karpenter-leader-election"} 1');
    await first.kill();
    expect((await metrics.text()).body).toContain('leader_election_master_status{name="karpenter-leader-election"} 0');
    await env.clock.advance(5000);
    await applied(env, NodePools, nodePool());
    await applied(env, Pods, unschedulablePod());
    await env.clock.advance(10_000);
    const { claims } = await snapshot(env);
    expect(claims).toHaveLength(1);
    const { items } = await env.client.list(Events, { namespace: 'kube-system' });
    const told = items.filter(({ reason }) => reason === 'LeaderElection');
    expect(told.map(({ message, involvedObject }) => `${involvedObject.kind} ${message}`)).toEqual(
      expect.arrayContaining([
        'Lease first became leader',
        'Lease first stopped leading',
        'Lease second became leader',
      ]),
    );
  });

  test('the one that can not renew its lease ends at once, as a failure', async () => {
    let isMute = false;
    const real = env.api.client('lease');
    const never = <T>(call: () => Promise<T>): Promise<T> => (isMute ? new Promise(() => {}) : call());
    const leaseClient: Client = {
      ...real,
      get: (...args) => never(() => real.get(...args)),
      create: (...args) => real.create(...args),
    };
    const { ended } = env.startOperator(ELECTION, { leaseClient });
    await env.clock.advance(5000);
    isMute = true;
    const failed = expect(ended).rejects.toThrow('leader election lost');
    await env.clock.advance(15_000);
    await failed;
  });
});

test('10.5: a controller is ready once it knows the cluster, and not where Karpenter’s definitions are missing', async () => {
  const { operator } = env.startOperator();
  expect(operator.checks).toEqual({ manager: false, crd: false, readyz: true });
  await env.clock.advance(1000);
  expect(operator.checks).toEqual({ manager: true, crd: true, readyz: true });

  await env.client.delete(CustomResourceDefinitions, { name: 'nodeclaims.karpenter.sh' });
  await env.clock.advance(10_000);
  const other = env.startOperator();
  await env.clock.advance(10_000);
  expect(other.operator.checks).toEqual({ manager: false, crd: false, readyz: true });
});

test('10.1: without --disable-controller-warmup a standby has all caches filled', async () => {
  env.startOperator({ disableLeaderElection: false });
  await env.clock.advance(1000);
  const cold = env.startOperator({ disableLeaderElection: false });
  const warm = env.startOperator({ disableLeaderElection: false, disableControllerWarmup: false });
  await env.clock.advance(1000);
  const filled = ({ operator }: typeof cold) => operator.informers.for(StorageClasses).hasSynced;
  expect([filled(cold), filled(warm)]).toEqual([false, true]);
});

test('a controller told to stop ends what it has begun, and the next one leads only after that', async () => {
  const created = Promise.withResolvers<void>();
  const real = env.kwok();
  let isLaunching = false;
  const cloud = alteredCloud(real, {
    create: async (...args) => {
      isLaunching = true;
      await created.promise;
      return await real.create(...args);
    },
  });
  const election = { disableLeaderElection: false };
  const { ended, kill } = env.startOperator(election, { cloud, graceMs: 20_000, identity: 'first' });
  await applied(env, NodePools, nodePool());
  await applied(env, Pods, unschedulablePod());
  await env.clock.runUntil(() => isLaunching, 30_000);
  void kill();
  await env.clock.advance(10_000);
  const holder = async () =>
    (await env.client.get(Leases, { name: 'karpenter-leader-election', namespace: 'kube-system' })).spec
      ?.holderIdentity;
  expect(await holder()).toBe('first');
  created.resolve();
  await env.clock.settle();
  await ended;
  expect(await holder()).toBe('');
  const { claims } = await snapshot(env);
  expect(claims.map((claim) => claim.status?.providerID)).toEqual([expect.stringMatching(/^kwok:/)]);
});

test('a controller told to stop waits no longer than its time of grace', async () => {
  const cloud = alteredCloud(env.kwok(), {
    create: (_, signal) => new Promise((_resolve, reject) => signal?.addEventListener('abort', reject)),
  });
  const { ended, kill } = env.startOperator({}, { cloud, graceMs: 20_000 });
  await applied(env, NodePools, nodePool());
  await applied(env, Pods, unschedulablePod());
  await env.clock.advance(10_000);
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  void kill();
  await env.clock.advance(19_000);
  expect(hasEnded).toBe(false);
  await env.clock.advance(2000);
  expect(hasEnded).toBe(true);
});
