import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied, eventually, patched, type Snapshot } from '../../../../test/expectations/index.ts';
import { nodeClaim, type Overrides, pod } from '../../../../test/factories/index.ts';
import { alteredCloud } from '../../../../test/support/altered-cloud.ts';
import { allGone, elapsed, LeavingNode, podNames } from '../../../../test/support/leaving-node.ts';
import type { DaemonSet, Pod } from '../../../kube/objects.ts';
import { DaemonSets, Nodes, Pods } from '../../../kube/resources.ts';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startOperator({}, { cloud: alteredCloud(env.kwok(), { get: async () => nodeClaim() }) });
});
afterEach(async () => await env.close());

function daemonSet(name: string, spec: Overrides<Pod['spec']> = {}): DaemonSet {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: pod({ spec }).spec };
  return { metadata: { name, namespace: 'default' }, spec: { selector: { matchLabels: labels }, template } };
}

test('6.1.1: a pod stays while it tolerates the taint, and does not hold the node up', async () => {
  const leaving = await LeavingNode.start(env);
  await leaving.onNode('tolerant', { spec: { tolerations: [{ operator: 'Exists' }] } });
  await leaving.remove();
  expect(podNames(await eventually(env, allGone))).toEqual(['tolerant']);
});

test('6.1.1: mirror pods and pods that have ended hold no node up', async () => {
  const leaving = await LeavingNode.start(env);
  const { uid = '' } = (await leaving.node()).metadata;
  const owner = { apiVersion: 'v1', kind: 'Node', name: leaving.nodeName, uid };
  await leaving.onNode('mirror', { metadata: { ownerReferences: [owner] } });
  await leaving.onNode('ended', { status: { phase: 'Succeeded' } });
  await leaving.remove();
  await eventually(env, ({ nodes }) => nodes.length === 0, 10_000);
});

test('6.1.1: a pod that will not end is waited for a minute beyond its grace period, no longer', async () => {
  const leaving = await LeavingNode.start(env, {}, false);
  await leaving.onNode('stubborn', { spec: { terminationGracePeriodSeconds: 20 } });
  await leaving.remove();
  await eventually(env, ({ pods }) => pods[0]?.metadata.deletionTimestamp !== undefined);
  expect((await elapsed(env, 78_000)).nodes).toHaveLength(1);
  await eventually(env, ({ nodes }) => nodes.length === 0, 15_000);
});

test('6.1.1: a pod that is protected holds the node, until its protection ends', async () => {
  const leaving = await LeavingNode.start(env);
  await leaving.protectedOnNode('job', '5m');
  await leaving.remove();
  expect(await eventually(env, () => true).then(() => leaving.condition('Drained'))).toBeUndefined();
  expect(podNames(await elapsed(env, 280_000))).toEqual(['job']);
  expect(await leaving.condition('Drained')).toBe('Unknown Draining');
  await eventually(env, allGone);
});

/** A protected pod on a node with two minutes to go. */
async function lastMinutes(terminationGracePeriodSeconds = 30, kubelet = true): Promise<LeavingNode> {
  const leaving = await LeavingNode.start(env, { terminationGracePeriod: '2m' }, kubelet);
  await leaving.protectedOnNode('job', 'true', { terminationGracePeriodSeconds });
  await leaving.remove();
  return leaving;
}
const firstPod = ({ pods: [first] }: Snapshot): Pod['metadata'] | undefined => first?.metadata;

test('6.1.2: what protects a pod ends in time for its own grace period', async () => {
  const leaving = await lastMinutes();
  expect(firstPod(await elapsed(env, 88_000))?.deletionTimestamp).toBeUndefined();
  const now = await eventually(
    env,
    ({ pods }) => firstPod({ pods } as Snapshot)?.deletionTimestamp !== undefined || pods.length === 0,
    5000,
  );
  expect(now.nodes).toHaveLength(1);
  expect(await leaving.told('Disrupted')).toEqual([
    expect.stringMatching(
      /^Deleting the pod to accommodate the terminationTime 2026-01-01 00:0\d:\d\d \+0000 UTC of the node\. The pod was granted (29|30) seconds of grace-period of its 30 terminationGracePeriodSeconds\. This bypasses the PDB of the pod and the do-not-disrupt annotation\.$/,
    ),
  ]);
  await eventually(env, allGone, 40_000);
});

test('6.1.2: a pod whose own grace period is longer than the node’s goes at once, with what is left', async () => {
  const leaving = await lastMinutes(600, false);
  const { pods } = await elapsed(env, 3000);
  expect(pods[0]?.metadata.deletionGracePeriodSeconds).toBeGreaterThan(110);
  expect(pods[0]?.metadata.deletionGracePeriodSeconds).toBeLessThanOrEqual(120);
  expect(await leaving.told('Disrupted')).toHaveLength(1);
});

test('6.1.2: a pod that somebody else deletes with a longer grace period is held to the node’s time', async () => {
  const leaving = await lastMinutes(600, false);
  const tooLong = await env.client.get(Pods, { name: 'job', namespace: 'default' });
  expect(tooLong.metadata.deletionTimestamp).toBeUndefined();
  await env.client.delete(Pods, { name: 'job', namespace: 'default' }, { gracePeriodSeconds: 600 });
  const { pods } = await elapsed(env, 3000);
  expect(pods[0]?.metadata.deletionGracePeriodSeconds).toBeLessThanOrEqual(120);
  expect(await leaving.told('Disrupted')).toHaveLength(1);
});

test('6.1.2: past the node’s time a pod still gets a second', async () => {
  const leaving = await LeavingNode.start(env, { terminationGracePeriod: '30s' }, false);
  await leaving.onNode('stubborn');
  await leaving.remove();
  await elapsed(env, 35_000);
  await leaving.onNode('late');
  await elapsed(env, 2000);
  expect(await leaving.told('Disrupted')).toContainEqual(expect.stringContaining('granted 1 seconds'));
});

test('6.1.3: ordinary pods go before daemons, and those before critical pods', async () => {
  const priorityClassName = 'system-node-critical';
  await applied(env, DaemonSets, daemonSet('daemon'), daemonSet('critical-daemon', { priorityClassName }));
  const leaving = await LeavingNode.start(env);
  await leaving.onNode('ordinary');
  await leaving.onNode('critical', { spec: { priorityClassName } });
  const here = (now: Snapshot): string[] => podNames(now).map((name) => name.replace(/-[a-z0-9]{5}$/, ''));
  let before = here(await eventually(env, (now) => now.pods.filter((p) => p.status?.phase === 'Running').length === 4));
  await leaving.remove();
  const order: string[] = [];
  await eventually(env, (now) => {
    order.push(...before.filter((name) => !here(now).includes(name)));
    before = here(now);
    return allGone(now);
  });
  expect(order).toEqual(['ordinary', 'daemon', 'critical', 'critical-daemon']);
});

test('6.1.3: a protected pod holds back all later tiers, whose pods count as waiting', async () => {
  const leaving = await LeavingNode.start(env);
  await leaving.protectedOnNode('protected');
  await leaving.onNode('other');
  await leaving.onNode('critical', { spec: { priorityClassName: 'system-cluster-critical' } });
  await leaving.remove();
  expect(podNames(await elapsed(env, 60_000))).toEqual(['critical', 'protected']);
  expect((await leaving.told('FailedDraining'))[0]).toBe('Failed to drain node, 3 pods are waiting to be evicted');
});

test('6.1.4: what is waited for is told, and looked at every second', async () => {
  const leaving = await LeavingNode.start(env);
  await leaving.protectedOnNode('busy');
  await leaving.remove();
  await elapsed(env, 10_000);
  expect(await leaving.told('FailedDraining')).toEqual(['Failed to drain node, 1 pods are waiting to be evicted']);
  await patched(env, Pods, 'busy', { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': null } } });
  const { pods } = await elapsed(env, 2500);
  expect(pods.filter((p) => !p.metadata.deletionTimestamp)).toEqual([]);
});

test('6.1.5: an empty node still waits five seconds for pods that were bound just before the taint', async () => {
  const leaving = await LeavingNode.start(env);
  await leaving.remove();
  expect((await elapsed(env, 4000)).nodes).toHaveLength(1);
  await eventually(env, allGone, 5000);
});

test('6.1.5: a node without a claim does not wait', async () => {
  const leaving = await LeavingNode.start(env);
  await patched(env, Nodes, leaving.nodeName, { metadata: { labels: { orphan: 'yes' } } });
  const { spec, metadata } = await leaving.node();
  const orphan = {
    metadata: { name: 'orphan', labels: metadata.labels ?? {}, finalizers: ['karpenter.sh/termination'] },
    spec: { providerID: `${spec.providerID}-other` },
  };
  await applied(env, Nodes, { ...orphan, status: { conditions: [{ type: 'Ready', status: 'True' }] } });
  await env.client.delete(Nodes, { name: 'orphan' });
  await eventually(env, ({ nodes }) => nodes.length === 1, 2000);
});
