import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied, eventually, patched, samples } from '../../../../test/expectations/index.ts';
import { node, nodeClaim } from '../../../../test/factories/index.ts';
import { alteredClient } from '../../../../test/support/altered-client.ts';
import { alteredCloud } from '../../../../test/support/altered-cloud.ts';
import { allGone, elapsed, LeavingNode, podNames } from '../../../../test/support/leaving-node.ts';
import { NodeClaimNotFoundError } from '../../../cloudprovider/errors.ts';
import type { CloudProvider } from '../../../cloudprovider/types.ts';
import type { Client } from '../../../kube/client.ts';
import { ApiError } from '../../../kube/errors.ts';
import type { PersistentVolumeClaim, VolumeAttachment } from '../../../kube/objects.ts';
import { NodeClaims, Nodes, PersistentVolumeClaims, VolumeAttachments } from '../../../kube/resources.ts';
import { PromMetrics } from '../../../operator/prom-metrics.ts';

const FINALIZER = 'karpenter.sh/termination';
const TERMINATION_TIME = 'karpenter.sh/nodeclaim-termination-timestamp';

let env: TestEnvironment;
beforeEach(async () => {
  env = await TestEnvironment.open();
});
afterEach(async () => await env.close());

/** Starts the operator on a cloud that is altered in some ways. */
function startOn(changes: Partial<CloudProvider>): void {
  env.startOperator({}, { cloud: alteredCloud(env.kwok(), changes) });
}
/** As a provider that wraps what its cloud says. */
const gone = (): Promise<never> =>
  Promise.reject(new Error('asking the cloud', { cause: new NodeClaimNotFoundError('no such instance') }));

test('6.0.1: a deleted node that is not ours, or does not wait for us, is left alone', async () => {
  env.startOperator();
  const finalizers = (name: string) => ({ name, finalizers: [name === 'other' ? 'example.com/keep' : FINALIZER] });
  await applied(
    env,
    Nodes,
    node({ metadata: finalizers('unmanaged') }),
    node({ metadata: { ...finalizers('other'), labels: { 'karpenter.kwok.sh/kwoknodeclass': 'default' } } }),
    node({ metadata: { ...finalizers('ours'), labels: { 'karpenter.kwok.sh/kwoknodeclass': 'default' } } }),
  );
  for (const name of ['unmanaged', 'other', 'ours']) await env.client.delete(Nodes, { name });
  const { nodes } = await elapsed(env, 10_000);
  expect(nodes.map((n) => n.metadata.name)).toEqual(['other', 'unmanaged']);
  expect(nodes.flatMap((n) => n.spec.taints ?? []).map((t) => t.key)).not.toContain('karpenter.sh/disrupted');
});

test('6.0.2: deleting the node or its claim takes both away', async () => {
  env.startOperator();
  const leaving = await LeavingNode.start(env);
  await env.client.delete(Nodes, { name: leaving.nodeName });
  await eventually(env, allGone);
});

test('6.0.2: of two claims for one node neither speaks for it', async () => {
  env.startOperator();
  const leaving = await LeavingNode.start(env);
  const { spec } = await leaving.node();
  const nodeClassRef = { group: 'example.com', kind: 'Other', name: 'other' };
  await applied(env, NodeClaims, nodeClaim({ spec: { nodeClassRef }, status: { providerID: spec.providerID } }));
  await env.client.delete(Nodes, { name: leaving.nodeName });
  const now = await eventually(env, ({ nodes }) => nodes.length === 0, 10_000);
  expect(now.claims.map((claim) => claim.metadata.deletionTimestamp)).toEqual([undefined, undefined]);
});

test('6.0.3: a node that is not ready and whose instance has ended goes without a drain', async () => {
  env.startOperator();
  const leaving = await LeavingNode.start(env, {}, false);
  await leaving.protectedOnNode('stuck');
  await env.client.delete(Nodes, { name: leaving.nodeName });
  const now = await eventually(env, ({ nodes }) => nodes.length === 0, 5000);
  expect(podNames(now)).toEqual(['stuck']);
});

test('6.0.3: a node that reports ready is drained, whatever the provider says of its instance', async () => {
  startOn({ get: gone });
  const leaving = await LeavingNode.start(env);
  await leaving.protectedOnNode('busy');
  await env.client.delete(Nodes, { name: leaving.nodeName });
  expect((await elapsed(env, 30_000)).nodes).toHaveLength(1);
});

test('6.0.3: while the provider can not tell whether the instance is there, nothing is done', async () => {
  let down = true;
  startOn({ get: () => (down ? Promise.reject(new Error('throttled')) : gone()) });
  const leaving = await LeavingNode.start(env, {}, false);
  await env.client.delete(Nodes, { name: leaving.nodeName });
  const { nodes } = await elapsed(env, 30_000);
  expect(nodes.map((n) => n.spec.taints?.map((t) => t.key))).not.toContainEqual(['karpenter.sh/disrupted']);
  down = false;
  await eventually(env, (now) => now.nodes.length === 0);
});

test('6.0.4: the end of the grace period is told to the node; without a claim there is none', async () => {
  env.startOperator();
  const leaving = await LeavingNode.start(env, { terminationGracePeriod: '2m' });
  await leaving.protectedOnNode('busy');
  await leaving.remove();
  const { claims } = await elapsed(env, 5000);
  const until = claims[0]?.metadata.annotations?.[TERMINATION_TIME];
  expect(await leaving.told('TerminationGracePeriodExpiring')).toEqual(
    Array(2).fill(`All pods will be deleted by ${until}`),
  );
});

test('6.0.4: a time that can not be read holds the node, rather than being taken for one that has passed', async () => {
  env.startOperator();
  const leaving = await LeavingNode.start(env);
  const attachment: VolumeAttachment = {
    metadata: { name: 'va' },
    spec: { attacher: 'csi', nodeName: leaving.nodeName, source: { persistentVolumeName: 'pv' } },
  };
  await applied(env, VolumeAttachments, attachment);
  await patched(env, NodeClaims, leaving.claimName, { metadata: { annotations: { [TERMINATION_TIME]: 'tomorrow' } } });
  await leaving.remove();
  const { nodes } = await elapsed(env, 60_000);
  expect(nodes.map((n) => n.spec.taints ?? [])).toEqual([[]]);
});

test('6.0.5: the node is tainted and leaves the load balancers before anything else', async () => {
  env.startOperator();
  const leaving = await LeavingNode.start(env);
  await leaving.protectedOnNode('busy');
  const taints = [
    { key: 'example.com/own', effect: 'NoSchedule' },
    { key: 'karpenter.sh/disrupted', effect: 'NoExecute', value: 'old' },
  ];
  await patched(env, Nodes, leaving.nodeName, { spec: { taints } });
  await leaving.remove();
  const { nodes } = await elapsed(env, 2000);
  expect(nodes[0]?.spec.taints).toEqual([taints[0], { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }]);
  expect(nodes[0]?.metadata.labels?.['node.kubernetes.io/exclude-from-external-load-balancers']).toBe('karpenter');
});

test('6.0.5: a node that somebody else changes meanwhile is tainted on top of that', async () => {
  const client = env.api.client('karpenter');
  let raced = false;
  const patch: Client['patch'] = async (resource, ref, body, ...rest) => {
    if (!raced && JSON.stringify(body.body).includes('karpenter.sh/disrupted')) {
      raced = true;
      await patched(env, Nodes, ref.name, { spec: { taints: [{ key: 'example.com/late', effect: 'NoSchedule' }] } });
    }
    return await client.patch(resource, ref, body, ...rest);
  };
  env.startOperator({}, { client: alteredClient(client, { patch }) });
  const leaving = await LeavingNode.start(env);
  await leaving.protectedOnNode('busy');
  await leaving.remove();
  const { nodes } = await elapsed(env, 2000);
  expect(nodes[0]?.spec.taints?.map((t) => t.key)).toEqual(['example.com/late', 'karpenter.sh/disrupted']);
});

test('6.0.6: what has been reached is written though the next stage fails, and counted once', async () => {
  const metrics = new PromMetrics(env.kwok());
  let down = true;
  const kwok = env.kwok();
  const cloud = alteredCloud(kwok, {
    delete: (claim, signal) => (down ? Promise.reject(new Error('throttled')) : kwok.delete(claim, signal)),
  });
  env.startOperator({}, { cloud, metrics });
  const leaving = await LeavingNode.start(env, {}, true, { 'karpenter.sh/nodepool': 'p' });
  await leaving.remove();
  await elapsed(env, 30_000);
  expect(await leaving.condition('Drained')).toBe('True Drained');
  expect(await leaving.condition('VolumesDetached')).toBe('True VolumesDetached');
  expect(await leaving.condition('InstanceTerminating')).toBeUndefined();
  down = false;
  await eventually(env, allGone);
  expect(await samples(metrics, 'karpenter_nodes_drained_total')).toEqual([{ labels: { nodepool: 'p' }, value: 1 }]);
});

test('6.0.6: the finalizer is taken off alone, whatever else changes on the node', async () => {
  env.startOperator();
  const leaving = await LeavingNode.start(env);
  const finalizers = [...((await leaving.node()).metadata.finalizers ?? []), 'example.com/keep'];
  await patched(env, Nodes, leaving.nodeName, { metadata: { finalizers } });
  await leaving.remove();
  const now = await eventually(env, ({ nodes }) => !nodes[0]?.metadata.finalizers?.includes(FINALIZER));
  expect(now.nodes[0]?.metadata.finalizers).toEqual(['example.com/keep']);
});

/** Two volumes that are attached to the node, and the claims for them. */
async function attachVolumes(nodeName: string, ...names: readonly string[]): Promise<void> {
  const claimFor = (name: string): PersistentVolumeClaim => ({
    metadata: { name, namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], volumeName: `pv-${name}`, resources: { requests: { storage: '1Gi' } } },
  });
  const attachment = (name: string): VolumeAttachment => ({
    metadata: { name: `va-${name}` },
    spec: { attacher: 'csi', nodeName, source: { persistentVolumeName: `pv-${name}` } },
  });
  await applied(env, PersistentVolumeClaims, ...names.map(claimFor));
  await applied(env, VolumeAttachments, ...names.map(attachment));
}
const using = (claimName: string) => [{ name: 'data', persistentVolumeClaim: { claimName } }];

test('6.5.1: volumes are waited for, but not those of pods that stay', async () => {
  env.startOperator();
  const leaving = await LeavingNode.start(env);
  await attachVolumes(leaving.nodeName, 'moving', 'staying', 'finished');
  const anything = [{ operator: 'Exists' }] as const;
  await leaving.onNode('staying', { spec: { volumes: using('staying'), tolerations: anything } });
  await leaving.onNode('finished', { spec: { volumes: using('finished') }, status: { phase: 'Succeeded' } });
  await leaving.remove();
  expect((await elapsed(env, 30_000)).nodes).toHaveLength(1);
  expect(await leaving.condition('VolumesDetached')).toBe('Unknown AwaitingVolumeDetachment');
  expect(await leaving.told('AwaitingVolumeDetachment')).toEqual([
    'Awaiting deletion of bound volumeattachments (va-finished, va-moving)',
  ]);
  await env.client.delete(VolumeAttachments, { name: 'va-moving' });
  expect((await elapsed(env, 10_000)).nodes).toHaveLength(1);
  await env.client.delete(VolumeAttachments, { name: 'va-finished' });
  await eventually(env, allGone);
});

test('6.5.1: volumes are waited for no longer than the grace period lasts, and five are named', async () => {
  let instances = 1;
  startOn({ delete: () => (instances-- > 0 ? Promise.resolve() : gone()) });
  const leaving = await LeavingNode.start(env, { terminationGracePeriod: '1m' });
  await attachVolumes(leaving.nodeName, 'a', 'b', 'c', 'd', 'e', 'f', 'g');
  await leaving.remove();
  await elapsed(env, 55_000);
  expect(await leaving.told('AwaitingVolumeDetachment')).toEqual([
    'Awaiting deletion of bound volumeattachments (va-a, va-b, va-c, va-d, va-e and 2 other(s))',
  ]);
  await elapsed(env, 8000);
  expect(await leaving.condition('VolumesDetached')).toBe('False TerminationGracePeriodElapsed');
  await eventually(env, allGone);
});

test('6.6.1: the instance is asked to end every five seconds until it has', async () => {
  const asked: number[] = [];
  startOn({
    delete: async () => {
      asked.push(env.clock.now());
      if (asked.length === 3) throw new NodeClaimNotFoundError('ended');
    },
  });
  const leaving = await LeavingNode.start(env);
  await leaving.remove();
  await eventually(env, () => asked.length > 0);
  await elapsed(env, 1000);
  expect(await leaving.condition('InstanceTerminating')).toBe('True InstanceTerminating');
  await eventually(env, ({ nodes }) => nodes.length === 0);
  expect(asked.slice(1, 3).map((at, i) => at - (asked[i] ?? 0))).toEqual([5000, 5000]);
});

test('6.6.1: a node without a claim goes, and its instance is not touched', async () => {
  let ended = 0;
  startOn({
    delete: async () => {
      ended++;
    },
  });
  const labels = { 'karpenter.kwok.sh/kwoknodeclass': 'default' };
  await applied(env, Nodes, node({ metadata: { name: 'orphan', finalizers: [FINALIZER], labels } }));
  await env.client.delete(Nodes, { name: 'orphan' });
  await eventually(env, ({ nodes }) => nodes.length === 0, 5000);
  expect(ended).toBe(0);
});

test('6.6.2: a node that has gone is counted, with how long it lived and how long it took', async () => {
  const metrics = new PromMetrics(env.kwok());
  env.startOperator({}, { metrics });
  const leaving = await LeavingNode.start(env, {}, true, { 'karpenter.sh/nodepool': 'p' });
  await env.clock.advance(600_000);
  await leaving.remove();
  await eventually(env, allGone);
  const zone = expect.stringMatching(/^test-zone-[a-d]$/);
  expect(await samples(metrics, 'karpenter_nodes_terminated_total')).toEqual([
    { labels: { nodepool: 'p', zone }, value: 1 },
  ]);
  const only = { labels: { nodepool: 'p' }, value: 1 };
  expect(await samples(metrics, 'karpenter_nodes_termination_duration_seconds_count')).toEqual([only]);
  const lifetime = 'karpenter_nodes_lifetime_duration_seconds_bucket';
  expect(await samples(metrics, lifetime, { le: '900' })).toMatchObject([{ value: 1 }]);
});

test('6.6.2: a node whose finalizer can not be taken off is not counted yet', async () => {
  const metrics = new PromMetrics(env.kwok());
  const client = env.api.client('karpenter');
  let down = true;
  const patch: Client['patch'] = async (resource, ref, body, ...rest) => {
    if (down && JSON.stringify(body.body).includes('deleteFromPrimitiveList')) throw new ApiError({ code: 503 });
    return await client.patch(resource, ref, body, ...rest);
  };
  env.startOperator({}, { client: alteredClient(client, { patch }), metrics });
  const leaving = await LeavingNode.start(env);
  await leaving.remove();
  await elapsed(env, 30_000);
  expect(await samples(metrics, 'karpenter_nodes_terminated_total')).toEqual([]);
  down = false;
  await eventually(env, allGone);
  expect(await samples(metrics, 'karpenter_nodes_terminated_total')).toHaveLength(1);
});
