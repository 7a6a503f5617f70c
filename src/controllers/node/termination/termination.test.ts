import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied, eventsSoFar, eventually, type Snapshot } from '../../../../test/expectations/index.ts';
import { nodeClaim, type Overrides, pod } from '../../../../test/factories/index.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type {
  DaemonSet,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  VolumeAttachment,
} from '../../../kube/objects.ts';
import {
  DaemonSets,
  NodeClaims,
  Nodes,
  PersistentVolumeClaims,
  PodDisruptionBudgets,
  Pods,
  VolumeAttachments,
} from '../../../kube/resources.ts';

let env: TestEnvironment;
let nodeName: string;
let claimName: string;
beforeEach(async () => {
  env = await TestEnvironment.open();
  env.startOperator();
});
afterEach(async () => await env.close());

/** Brings up one node; it reports ready if there is a kubelet for it. */
async function startNode(spec: Overrides<NodeClaim['spec']> = {}, kubelet = true): Promise<void> {
  if (kubelet) env.startCluster();
  const label = `karpenter.sh/${kubelet ? 'initialized' : 'registered'}`;
  const [claim] = await applied(env, NodeClaims, nodeClaim({ spec }));
  claimName = claim?.metadata.name ?? '';
  const { nodes } = await eventually(env, (now) => now.nodes[0]?.metadata.labels?.[label] === 'true');
  nodeName = nodes[0]?.metadata.name ?? '';
}

/** A running pod on the node. */
async function onNode(name: string, overrides: Overrides<Pod> = {}): Promise<void> {
  await applied(env, Pods, pod({ metadata: { name }, spec: { nodeName }, ...overrides }));
}

function daemonSet(name: string, spec: Overrides<Pod['spec']> = {}): DaemonSet {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: pod({ spec }).spec };
  return { metadata: { name, namespace: 'default' }, spec: { selector: { matchLabels: labels }, template } };
}

const remove = async () => await env.client.delete(NodeClaims, { name: claimName });
const left = ({ pods }: Snapshot): string[] => pods.map((p) => p.metadata.name).sort();
const gone = (now: Snapshot): boolean => now.claims.length + now.nodes.length === 0;
const snapshotIn = async (ms: number): Promise<Snapshot> => {
  await env.clock.advance(ms);
  return await eventually(env, () => true);
};

test('deleting the node or its claim takes both away', async () => {
  await startNode();
  await env.client.delete(Nodes, { name: nodeName });
  await eventually(env, gone);
});

test('the node is tainted and leaves the load balancers before anything else', async () => {
  await startNode();
  await onNode('busy', {
    spec: { nodeName, terminationGracePeriodSeconds: 30 },
    metadata: { name: 'busy', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
  });
  await remove();
  const { nodes } = await snapshotIn(2000);
  expect(nodes[0]?.spec.taints).toEqual([{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }]);
  expect(nodes[0]?.metadata.labels?.['node.kubernetes.io/exclude-from-external-load-balancers']).toBe('karpenter');
});

test('an empty node still waits five seconds for pods that were bound just before the taint', async () => {
  await startNode();
  await remove();
  expect((await snapshotIn(4000)).nodes).toHaveLength(1);
  await eventually(env, gone, 5000);
});

test('ordinary pods go before daemons, and those before critical pods', async () => {
  const priorityClassName = 'system-node-critical';
  await applied(env, DaemonSets, daemonSet('daemon'), daemonSet('critical-daemon', { priorityClassName }));
  await startNode();
  await onNode('ordinary');
  await onNode('critical', { spec: { nodeName, priorityClassName } });
  const here = (now: Snapshot): string[] => left(now).map((name) => name.replace(/-[a-z0-9]{5}$/, ''));
  let before = here(await eventually(env, (now) => now.pods.filter((p) => p.status?.phase === 'Running').length === 4));
  await remove();
  const order: string[] = [];
  await eventually(env, (now) => {
    order.push(...before.filter((name) => !here(now).includes(name)));
    before = here(now);
    return gone(now);
  });
  expect(order).toEqual(['ordinary', 'daemon', 'critical', 'critical-daemon']);
});

describe('a pod stays', () => {
  test('while it tolerates the taint, and does not hold the node up', async () => {
    await startNode();
    await onNode('tolerant', { spec: { nodeName, tolerations: [{ operator: 'Exists' }] } });
    await remove();
    const now = await eventually(env, gone);
    expect(left(now)).toEqual(['tolerant']);
  });

  test('while its budget forbids to move it, and the node says so', async () => {
    await startNode();
    await onNode('web', { metadata: { name: 'web', labels: { app: 'web' } } });
    const budget: PodDisruptionBudget = {
      metadata: { name: 'web', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
      status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    };
    await applied(env, PodDisruptionBudgets, budget);
    await remove();
    expect(left(await snapshotIn(60_000))).toEqual(['web']);
    expect(await eventsSoFar(env)).toContain('Node FailedDraining');
    await env.client.delete(PodDisruptionBudgets, { name: 'web', namespace: 'default' });
    await eventually(env, gone);
  });

  test('while it is protected, until its protection ends', async () => {
    await startNode();
    await onNode('job', { metadata: { name: 'job', annotations: { 'karpenter.sh/do-not-disrupt': '5m' } } });
    await remove();
    expect(left(await snapshotIn(280_000))).toEqual(['job']);
    await eventually(env, gone, 60_000);
  });
});

test('the node’s grace period ends all of that: each pod is deleted in time for its own grace period', async () => {
  await startNode({ terminationGracePeriod: '2m' });
  await onNode('job', {
    metadata: { name: 'job', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
    spec: { nodeName, terminationGracePeriodSeconds: 30 },
  });
  await remove();
  const waiting = await snapshotIn(88_000);
  expect(waiting.claims[0]?.metadata.annotations).toHaveProperty(['karpenter.sh/nodeclaim-termination-timestamp']);
  expect(waiting.pods[0]?.metadata.deletionTimestamp).toBeUndefined();
  const now = await eventually(
    env,
    ({ pods }) => pods[0]?.metadata.deletionTimestamp !== undefined || pods.length === 0,
    5000,
  );
  expect(env.clock.now() - Date.parse(waiting.claims[0]?.metadata.deletionTimestamp ?? '')).toBeGreaterThanOrEqual(
    90_000,
  );
  expect(now.nodes).toHaveLength(1);
  await eventually(env, gone, 40_000);
  expect(await eventsSoFar(env)).toEqual(
    expect.arrayContaining([
      'Pod Disrupted',
      'NodeClaim TerminationGracePeriodExpiring',
      'Node TerminationGracePeriodExpiring',
    ]),
  );
});

test('volumes are waited for, but not those of pods that stay', async () => {
  await startNode();
  const claimFor = (name: string): PersistentVolumeClaim => ({
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], volumeName: `pv-${name}`, resources: { requests: { storage: '1Gi' } } },
  });
  const attachment = (name: string): VolumeAttachment => ({
    metadata: { name: `va-${name}` },
    spec: { attacher: 'csi', nodeName, source: { persistentVolumeName: `pv-${name}` } },
  });
  await applied(env, PersistentVolumeClaims, claimFor('moving'), claimFor('staying'));
  await applied(env, VolumeAttachments, attachment('moving'), attachment('staying'));
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'staying' } }];
  await onNode('staying', { spec: { nodeName, volumes, tolerations: [{ operator: 'Exists' }] } });
  await remove();
  const now = await snapshotIn(30_000);
  expect(now.nodes).toHaveLength(1);
  expect(now.claims[0]?.status?.conditions?.find((c) => c.type === 'VolumesDetached')).toMatchObject({
    status: 'Unknown',
    reason: 'AwaitingVolumeDetachment',
  });
  await env.client.delete(VolumeAttachments, { name: 'va-moving' });
  await eventually(env, gone);
});

test('a node that is not ready and whose instance has ended goes without a drain', async () => {
  await startNode({}, false);
  await onNode('stuck', { metadata: { name: 'stuck', annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } });
  await env.client.delete(Nodes, { name: nodeName });
  await eventually(env, ({ nodes }) => nodes.length === 0, 5000);
});
