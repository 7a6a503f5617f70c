import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied, eventually, patched, samples } from '../../../../test/expectations/index.ts';
import { nodeClaim, pod } from '../../../../test/factories/index.ts';
import { alteredClient } from '../../../../test/support/altered-client.ts';
import { alteredCloud } from '../../../../test/support/altered-cloud.ts';
import { allGone, closedBudget, elapsed, LeavingNode, podNames } from '../../../../test/support/leaving-node.ts';
import type { Client } from '../../../kube/client.ts';
import { ApiError } from '../../../kube/errors.ts';
import { DaemonSets, NodeClaims, Nodes, PodDisruptionBudgets, Pods } from '../../../kube/resources.ts';
import { PromMetrics } from '../../../operator/prom-metrics.ts';

let env: TestEnvironment;
let metrics: PromMetrics;
beforeEach(async () => {
  env = await TestEnvironment.open();
  metrics = new PromMetrics(env.kwok());
});
afterEach(async () => await env.close());

/** Starts the operator; `answer` may refuse an eviction by throwing. Answers when they were. */
function startWatchingEvictions(answer: () => void = () => {}, changes: Partial<Client> = {}): number[] {
  const client = env.api.client('karpenter');
  const times: number[] = [];
  const create: Client['create'] = async (resource, object, options, signal) => {
    if (options?.subresource === 'eviction') {
      times.push(env.clock.now());
      answer();
    }
    return await client.create(resource, object, options, signal);
  };
  const cloud = alteredCloud(env.kwok(), { get: async () => nodeClaim() });
  env.startOperator({}, { cloud, client: alteredClient(client, { create, ...changes }), metrics });
  return times;
}
const refuse = (code: number, reason = '', message = 'no'): never => {
  throw new ApiError({ code, reason, message });
};
/** The only label's value, and how often, of each series of a metric. */
const counts = async (name: string): Promise<Record<string, number>> =>
  Object.fromEntries(
    (await samples(metrics, `karpenter_${name}`)).map(({ labels, value }) => [Object.values(labels).join(), value]),
  );
const keep = { finalizers: ['example.com/keep'] };

test('6.2.1: a pod is asked for again after 100 ms, twice that, and so on to ten seconds', async () => {
  const times = startWatchingEvictions(() => refuse(429, 'TooManyRequests'));
  const leaving = await LeavingNode.start(env);
  await leaving.onNode('web');
  await leaving.remove();
  await elapsed(env, 60_000);
  const waits = times.slice(1).map((at, i) => at - (times[i] ?? 0));
  expect(waits.slice(0, 9)).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
});

test('6.2.1: a pod that is asked for already is not asked for twice', async () => {
  const times = startWatchingEvictions();
  const leaving = await LeavingNode.start(env);
  await leaving.onNode('slow', { metadata: keep });
  await leaving.remove();
  await elapsed(env, 10_000);
  expect(times).toHaveLength(1);
});

test('6.2.2: a pod that has taken the name of one that was to be evicted is left alone', async () => {
  const times = startWatchingEvictions(() => refuse(429, 'TooManyRequests'));
  const leaving = await LeavingNode.start(env);
  await leaving.onNode('web');
  await leaving.remove();
  await eventually(env, () => times.length > 1);
  const before = times.length;
  await env.client.delete(Pods, { name: 'web', namespace: 'default' }, { gracePeriodSeconds: 0 });
  await applied(env, Pods, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { containers: [{ name: 'main', image: 'pause' }] },
  });
  const now = await eventually(env, allGone);
  expect([podNames(now), times.length]).toEqual([['web'], before]);
});

test('6.2.2: a pod that is protected while it is being asked for stays', async () => {
  startWatchingEvictions();
  const leaving = await LeavingNode.start(env);
  await leaving.onNode('web', { metadata: { labels: { app: 'web' } } });
  await applied(env, PodDisruptionBudgets, closedBudget('web'));
  await leaving.remove();
  await elapsed(env, 5000);
  await patched(env, Pods, 'web', { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } });
  await env.client.delete(PodDisruptionBudgets, { name: 'web', namespace: 'default' });
  expect(podNames(await elapsed(env, 60_000))).toEqual(['web']);
  await patched(env, Pods, 'web', { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': null } } });
  await eventually(env, allGone);
});

test.each([0, 600])(
  '6.2.2: a pod that somebody else deletes, with %i s of grace, is not evicted on top',
  async (gracePeriodSeconds) => {
    const times = startWatchingEvictions(() => refuse(429, 'TooManyRequests'));
    const leaving = await LeavingNode.start(env);
    await leaving.onNode('web', { metadata: keep });
    await leaving.remove();
    await eventually(env, () => times.length > 1);
    const before = times.length;
    await env.client.delete(Pods, { name: 'web', namespace: 'default' }, { gracePeriodSeconds });
    await elapsed(env, 10_000);
    expect(times).toHaveLength(before);
  },
);

describe('the node’s time', () => {
  const late = async (terminationGracePeriodSeconds?: number): Promise<LeavingNode> => {
    const leaving = await LeavingNode.start(env, { terminationGracePeriod: '1m' });
    const spec = terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds };
    await leaving.onNode('web', { metadata: { ...keep, labels: { app: 'web' } }, spec });
    await applied(env, PodDisruptionBudgets, closedBudget('web'));
    await leaving.remove();
    return leaving;
  };

  test('6.2.3: a pod is deleted once less than its own grace period is left', async () => {
    startWatchingEvictions();
    await late(20);
    expect((await elapsed(env, 39_000)).pods[0]?.metadata.deletionTimestamp).toBeUndefined();
    expect((await elapsed(env, 4000)).pods[0]?.metadata.deletionTimestamp).toBeDefined();
  });

  test('6.2.4: that passes its budget by, and is no eviction', async () => {
    startWatchingEvictions();
    const leaving = await late(20);
    await elapsed(env, 50_000);
    expect(await leaving.told('Disrupted')).toHaveLength(1);
    expect(await leaving.told('Evicted')).toEqual([]);
    expect(await counts('pods_drained_total')).toEqual({});
  });
});

test('6.2.5: a pod whose budget forbids it stays, and the node says so', async () => {
  startWatchingEvictions();
  const leaving = await LeavingNode.start(env);
  await leaving.onNode('web', { metadata: { labels: { app: 'web' } } });
  await applied(env, PodDisruptionBudgets, closedBudget('web'));
  await leaving.remove();
  expect(podNames(await elapsed(env, 150_000))).toEqual(['web']);
  const told = await leaving.told('FailedDraining');
  expect(told).toContain('Failed to drain node, 1 pods are waiting to be evicted');
  expect(await counts('pods_eviction_requests_total')).toEqual({ 429: expect.any(Number) });
  await env.client.delete(PodDisruptionBudgets, { name: 'web', namespace: 'default' });
  await eventually(env, allGone);
  expect(await counts('pods_eviction_requests_total')).toMatchObject({ 200: 1 });
});

test.each([
  [429, 'no', 'evicting pod violates a PDB (Pod=default/web)'],
  [
    500,
    'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    'eviction does not support multiple PDBs (Pod=default/web)',
  ],
])('6.2.5: the answer %i "%s" is told as: %s', async (code, answer, problem) => {
  let stalled = false;
  const patch: Client['patch'] = async (...args) => (stalled ? refuse(503) : await client.patch(...args));
  const client = env.api.client('karpenter');
  startWatchingEvictions(() => refuse(code, 'Whatever', answer), { patch });
  const leaving = await LeavingNode.start(env);
  await leaving.onNode('web');
  await leaving.remove();
  await elapsed(env, 10_000);
  // The drain tells the node how many pods it waits for, and one line in two minutes is all that a node is told.
  stalled = true;
  await patched(env, Nodes, leaving.nodeName, { spec: { taints: null } });
  await elapsed(env, 130_000);
  expect(await leaving.told('FailedDraining')).toContain(`Failed to drain node, ${problem}`);
});

test.each([
  [404, 'NotFound'],
  [409, 'Conflict'],
])('6.2.5: %i %s settles the matter', async (code, reason) => {
  const times = startWatchingEvictions(() => (times.length === 1 ? refuse(code, reason) : undefined));
  const leaving = await LeavingNode.start(env);
  await leaving.onNode('web');
  await leaving.remove();
  await eventually(env, allGone);
  // Only the drain, which still sees the pod, asks anew.
  expect(await counts('pods_eviction_requests_total')).toEqual({ [code]: 1, 200: 1 });
  expect(await leaving.told('Evicted')).toHaveLength(1);
});

test('6.2.5: any other refusal is tried again', async () => {
  let left = 2;
  startWatchingEvictions(() => (left-- > 0 ? refuse(503) : undefined));
  const leaving = await LeavingNode.start(env);
  await leaving.onNode('web');
  await leaving.remove();
  await eventually(env, allGone);
  expect(await counts('pods_eviction_requests_total')).toEqual({ 503: 2, 200: 1 });
});

test.each([
  ['Underutilized', 'Underutilized'],
  [undefined, 'Forceful Termination'],
])('6.2.5: an eviction of a node that goes for %s is counted, and told to the pod, as %s', async (reason, shown) => {
  startWatchingEvictions();
  const leaving = await LeavingNode.start(env);
  await leaving.onNode('web');
  if (reason) {
    const claim = await env.client.get(NodeClaims, { name: leaving.claimName });
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const condition = {
      type: 'DisruptionReason',
      status: 'True',
      reason,
      message: reason,
      lastTransitionTime,
    } as const;
    const body = { status: { conditions: [...(claim.status?.conditions ?? []), condition] } };
    await env.client.patch(NodeClaims, { name: leaving.claimName }, { type: 'merge', body }, { subresource: 'status' });
  }
  await leaving.remove();
  await eventually(env, allGone);
  expect(await leaving.told('Evicted')).toEqual([`Evicted pod: ${shown}`]);
  expect(await counts('pods_drained_total')).toEqual({ [shown]: 1 });
});

test('6.2.6: daemons that do not tolerate the taint are evicted; what tolerates it is not asked', async () => {
  const times = startWatchingEvictions();
  const leaving = await LeavingNode.start(env);
  const labels = { app: 'daemon' };
  const template = { metadata: { labels }, spec: pod().spec };
  const spec = { selector: { matchLabels: labels }, template };
  await applied(env, DaemonSets, { metadata: { name: 'daemon', namespace: 'default' }, spec });
  await eventually(env, ({ pods }) => pods[0]?.status?.phase === 'Running');
  const tolerations = [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] as const;
  await leaving.onNode('tolerant', { spec: { tolerations } });
  await leaving.remove();
  expect(podNames(await eventually(env, ({ nodes }) => nodes.length === 0))).toEqual(['tolerant']);
  expect(times).toHaveLength(1);
});

describe('the annotation do-not-disrupt', () => {
  test.each([
    ['soon', 'failed to parse "soon" as a duration: time: invalid duration "soon"'],
    ['', 'failed to parse "" as a duration: time: invalid duration ""'],
    ['5', 'failed to parse "5" as a duration: time: missing unit in duration "5"'],
    ['1h2d', 'failed to parse "1h2d" as a duration: time: unknown unit "d" in duration "1h2d"'],
    ['-5m', 'duration "-5m" must be positive'],
    ['0', 'duration "0" must be positive'],
  ])('6.3.1: that says "%s" is ignored, and the pod told why', async (value, problem) => {
    startWatchingEvictions();
    const leaving = await LeavingNode.start(env);
    await leaving.protectedOnNode('job', value);
    await leaving.remove();
    await eventually(env, allGone);
    expect(await leaving.told('InvalidDoNotDisruptAnnotation')).toEqual([
      `Invalid karpenter.sh/do-not-disrupt annotation: ${problem}, ignoring annotation`,
    ]);
  });

  test('6.3.1: holds from the pod’s start for as long as it says, and the pod is told until when', async () => {
    startWatchingEvictions();
    const leaving = await LeavingNode.start(env);
    await leaving.protectedOnNode('job', '90s');
    const { pods } = await eventually(env, (now) => now.pods[0]?.status?.startTime !== undefined);
    const end = Date.parse(pods[0]?.status?.startTime ?? '') + 90_000;
    await leaving.remove();
    await elapsed(env, end - env.clock.now() - 1000);
    const until = new Date(end).toISOString().replace('.000', '');
    expect(await leaving.told('DoNotDisruptUntil')).toEqual([
      `The karpenter.sh/do-not-disrupt grace period will elapse at ${until}`,
    ]);
    await eventually(env, allGone);
    expect(await leaving.told('DoNotDisruptGracePeriodElapsed')).toEqual([
      'The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable',
    ]);
  });

  test('6.3.1: holds while the pod has not started', async () => {
    startWatchingEvictions();
    const leaving = await LeavingNode.start(env, {}, false);
    await leaving.protectedOnNode('job', '1s');
    await leaving.remove();
    const { pods } = await elapsed(env, 20_000);
    expect(pods.map((p) => p.status?.startTime)).toEqual([undefined]);
    expect(pods.map((p) => p.metadata.deletionTimestamp)).toEqual([undefined]);
  });
});
