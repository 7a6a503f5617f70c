import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEnvironment } from '../../test/environment.ts';
import { applied, sample, samples } from '../../test/expectations/index.ts';
import { node, nodePool, pod } from '../../test/factories/index.ts';
import type { Client, Resource } from '../kube/client.ts';
import { ConnectionError } from '../kube/errors.ts';
import { Informers } from '../kube/informers.ts';
import { Manager } from '../kube/manager.ts';
import { NodePools, Nodes, Pods } from '../kube/resources.ts';
import { buildInfo } from './build-info.ts';
import { ControllerMetrics } from './controller-metrics.ts';
import { MeasuredClient } from './measured-client.ts';
import { PromMetrics } from './prom-metrics.ts';

let env: TestEnvironment;
let metrics: PromMetrics;
beforeEach(async () => {
  env = await TestEnvironment.open();
  metrics = new PromMetrics(env.kwok());
});
afterEach(async () => await env.close());

describe('11.7: a controller', () => {
  /** A controller that takes a second for each key, and fails for `bad` the first time. */
  function startSlow() {
    const measured = new ControllerMetrics({ clock: env.clock, metrics });
    const manager = new Manager({
      clock: env.clock,
      informers: new Informers({ client: env.client, clock: env.clock, random: env.random }),
      observerOf: (name) => measured.observerOf(name),
      onReconciled: (end) => measured.reconciled(end),
    });
    let failed = false;
    const controller = manager.add({
      name: 'slow',
      watches: [],
      rateLimit: { base: 5000, max: 5000 },
      async reconcile(key) {
        await env.clock.sleep(1000);
        if (key !== 'bad' || failed) return;
        failed = true;
        throw new Error('no');
      },
    });
    measured.add(controller);
    const stop = new AbortController();
    void manager.run(stop.signal);
    return { queue: controller.queue, stop: () => stop.abort() };
  }
  const of = async (name: string, labels = {}) => await sample(metrics, name, { controller: 'slow', ...labels });

  test('11.7: has all its series before it has done anything', async () => {
    const { stop } = startSlow();
    for (const result of ['success', 'error', 'requeue', 'requeue_after'])
      expect(await of('controller_runtime_reconcile_total', { result })).toBe(0);
    expect(await of('controller_runtime_reconcile_errors_total')).toBe(0);
    expect(await of('controller_runtime_max_concurrent_reconciles')).toBe(1);
    expect(await of('workqueue_depth', { name: 'slow', priority: '0' })).toBe(0);
    expect(await of('workqueue_longest_running_processor_seconds')).toBe(0);
    stop();
  });

  test('11.7: is measured by what it does, and its queue by what waits in it and for how long', async () => {
    const { queue, stop } = startSlow();
    await env.clock.settle();
    for (const key of ['bad', 'good', 'good']) queue.add(key);
    await env.clock.advance(500);
    expect(await of('controller_runtime_active_workers')).toBe(1);
    expect(await of('workqueue_depth')).toBe(1);
    expect(await of('workqueue_unfinished_work_seconds')).toBe(0.5);
    expect(await of('workqueue_longest_running_processor_seconds')).toBe(0.5);
    expect(await of('workqueue_adds_total')).toBe(2);
    queue.add('bad');
    queue.add('bad');
    expect(await of('workqueue_adds_total')).toBe(3);

    await env.clock.advance(10_000);
    expect(await of('controller_runtime_reconcile_total', { result: 'error' })).toBe(1);
    expect(await of('controller_runtime_reconcile_errors_total')).toBe(1);
    expect(await of('controller_runtime_reconcile_total', { result: 'success' })).toBe(3);
    expect(await of('controller_runtime_reconcile_time_seconds_sum')).toBe(4);
    expect(await of('workqueue_work_duration_seconds_sum')).toBe(4);
    // One waits for the first to end, and the first, added again, for the other one.
    expect(await of('workqueue_queue_duration_seconds_sum')).toBe(2.5);
    expect(await of('workqueue_retries_total')).toBe(1);
    expect(await of('controller_runtime_active_workers')).toBe(0);
    stop();
  });
});

test('11.7: the controllers of the operator are among those that are measured', async () => {
  env.startOperator({}, { metrics });
  await applied(env, NodePools, nodePool());
  await env.clock.advance(2000);
  const labels = { controller: 'nodepool.hash', result: 'success' };
  expect(await sample(metrics, 'controller_runtime_reconcile_total', labels)).toBeGreaterThan(0);
  expect(await sample(metrics, 'workqueue_adds_total', { controller: 'nodepool.hash' })).toBeGreaterThan(0);
});

test('11.7: who leads says so under the name of the lease, and that it has stopped', async () => {
  const of = async () => await sample(metrics, 'leader_election_master_status', { name: 'a-lease' });
  const { kill } = env.startOperator({ disableLeaderElection: false, leaderElectionName: 'a-lease' }, { metrics });
  expect(await of()).toBe(0);
  await env.clock.advance(1000);
  expect(await of()).toBe(1);
  await kill();
  expect(await of()).toBe(0);
});

describe('11.7.32: requests to the API', () => {
  const request = { group: '', version: 'v1', kind: 'pods', subresource: '' };
  const timed = async (labels: Readonly<Record<string, string>>) =>
    await sample(metrics, 'client_go_request_duration_seconds_count', labels);
  const answered = async (method: string, code: string) =>
    await sample(metrics, 'client_go_request_total', { method, code });

  test('11.7.32: are counted by method and status, and timed by what they are about', async () => {
    const client = new MeasuredClient({ client: env.client, clock: env.clock, metrics });
    await applied(env, Nodes, node({ metadata: { name: 'n' } }));
    await client.create(Pods, pod({ metadata: { name: 'a' } }));
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'a', namespace: 'default' },
      target: { kind: 'Node', name: 'n' },
    };
    await client.create(Pods as Resource, binding, { subresource: 'binding' });
    await client.list(Pods);
    const there = await client.get(Pods, { name: 'a', namespace: 'default' });
    await client.update(Pods, there, { subresource: 'status' });
    const change = { type: 'merge', body: { metadata: { labels: { a: 'b' } } } } as const;
    await client.patch(Pods, { name: 'a', namespace: 'default' }, change);
    await client.delete(Pods, { name: 'a', namespace: 'default' });
    await expect(client.get(NodePools, { name: 'none' })).rejects.toThrow();

    const verbs = { CREATE: 1, LIST: 1, GET: 1, PATCH: 1, DELETE: 1 };
    for (const [verb, count] of Object.entries(verbs))
      expect([verb, await timed({ ...request, verb })]).toEqual([verb, count]);
    expect(await timed({ ...request, verb: 'CREATE', subresource: 'binding' })).toBe(1);
    expect(await timed({ ...request, verb: 'UPDATE', subresource: 'status' })).toBe(1);
    expect(await timed({ verb: 'GET', group: 'karpenter.sh', version: 'v1', kind: 'nodepools' })).toBe(1);
    expect(await answered('POST', '201')).toBe(2);
    expect(await answered('GET', '200')).toBe(2);
    expect(await answered('GET', '404')).toBe(1);
    expect(await answered('DELETE', '200')).toBe(1);
  });

  test('11.7.32: that get no answer count as such, and watches once, when they are answered', async () => {
    const refused = (): never => {
      throw new ConnectionError('refused');
    };
    const broken = { ...env.client, get: async () => refused(), watch: refused } as unknown as Client;
    const lost = new MeasuredClient({ client: broken, clock: env.clock, metrics });
    await expect(lost.get(Pods, { name: 'a', namespace: 'default' })).rejects.toThrow('refused');
    expect(await answered('GET', '<error>')).toBe(1);
    const client = new MeasuredClient({ client: env.client, clock: env.clock, metrics });
    const { resourceVersion } = await client.list(Pods);
    const stop = new AbortController();
    const events = client.watch(Pods, { resourceVersion }, stop.signal);
    const seen = (async () => {
      for await (const _ of events) if (stop.signal.aborted) return;
    })();
    await applied(env, Pods, pod(), pod());
    await env.clock.settle();
    stop.abort();
    await applied(env, Pods, pod());
    await seen;
    expect(await answered('GET', '200')).toBe(2);
    expect(await samples(metrics, 'client_go_request_duration_seconds_count', { verb: 'WATCH' })).toEqual([]);
  });
});

test('11.1.1: what program this is', async () => {
  metrics.gauge('build_info', 1, buildInfo('1.2.3'));
  const [info] = await samples(metrics, 'karpenter_build_info');
  const { version, goversion, goarch } = info?.labels ?? {};
  expect([info?.value, version, goversion]).toEqual([1, '1.2.3', `node ${process.version}`]);
  expect(goarch).not.toBe('x64');
});

test('11.7: the process is measured once that is asked for', async () => {
  expect(await samples(metrics, 'process_resident_memory_bytes')).toEqual([]);
  metrics.watchProcess();
  expect(await sample(metrics, 'process_resident_memory_bytes')).toBeGreaterThan(0);
  expect(await sample(metrics, 'process_cpu_seconds_total')).toBeGreaterThan(0);
});
