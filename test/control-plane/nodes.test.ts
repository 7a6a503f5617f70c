import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Node, Pod } from '../../src/kube/objects.ts';
import { Leases, Nodes, Pods } from '../../src/kube/resources.ts';
import { pod } from '../factories/pod.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../support/workload-cluster.ts';

const FAKE = 'kwok.x-k8s.io/node';

function boundPod(name: string, spec: Partial<Pod['spec']> = {}): Pod {
  return pod({
    metadata: { name, namespace: 'default' },
    spec: { nodeName: 'a', containers: [{ name: 'main', image: 'x' }], terminationGracePeriodSeconds: 30, ...spec },
  });
}

describe('nodes', () => {
  let cluster: WorkloadCluster;

  beforeEach(async () => {
    cluster = await startWorkloadCluster();
    await cluster.addNodes('a');
    await cluster.clock.advance(2000);
  });
  afterEach(() => cluster.stop());

  const get = (name = 'a'): Promise<Node> => cluster.client.get(Nodes, { name });
  const patch = (body: unknown): Promise<unknown> =>
    cluster.client.patch(Nodes, { name: 'a' }, { type: 'merge', body });
  const ready = async (): Promise<string | undefined> =>
    (await get()).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  const taints = async (): Promise<readonly string[]> =>
    ((await get()).spec.taints ?? [])
      .map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`)
      .sort();
  const podNames = async (): Promise<readonly string[]> =>
    (await cluster.list(Pods)).map(({ metadata }) => metadata.name).sort();

  test('come up ready, with addresses, a range for pods and a lease', async () => {
    const node = await get();
    expect(await ready()).toBe('True');
    expect(node.status).toMatchObject({
      addresses: [
        { type: 'InternalIP', address: '172.16.0.2' },
        { type: 'Hostname', address: 'a' },
      ],
      nodeInfo: { operatingSystem: 'linux', architecture: 'amd64' },
    });
    expect(node.spec.podCIDR).toBe('10.0.0.0/24');
    const lease = await cluster.client.get(Leases, { name: 'a', namespace: 'kube-node-lease' });
    expect(lease.metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: 'a', uid: node.metadata.uid }]);
    expect(cluster.errors).toEqual([]);
  });

  test('stay ready', async () => {
    const seen = new Set<string | undefined>();
    for (let i = 0; i < 60; i++) {
      await cluster.clock.advance(30_000);
      seen.add(await ready());
    }
    expect([...seen]).toEqual(['True']);
    expect(await taints()).toEqual([]);
  });

  test('that fall silent become Unknown, and lose their pods after what these tolerate', async () => {
    const unreachable = { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' };
    const forSeconds = (tolerationSeconds: number) => ({ tolerations: [{ ...unreachable, tolerationSeconds }] });
    await cluster.client.create(Pods, boundPod('patient', { tolerations: [{ operator: 'Exists' }] }));
    await cluster.client.create(Pods, boundPod('waiting', forSeconds(100)));
    await cluster.client.create(Pods, boundPod('brittle', forSeconds(0)));
    await cluster.clock.advance(1000);
    await patch({ metadata: { annotations: { [FAKE]: null } } });
    await cluster.clock.advance(30_000);
    expect(await ready()).toBe('True');
    await cluster.clock.advance(60_000);
    expect(await ready()).toBe('Unknown');
    expect(await taints()).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    const leaving = async (): Promise<readonly string[]> =>
      (await cluster.list(Pods))
        .filter(({ metadata }) => metadata.deletionTimestamp)
        .map(({ metadata }) => metadata.name);
    expect(await leaving()).toEqual(['brittle']);
    const patient = await cluster.client.get(Pods, { name: 'patient', namespace: 'default' });
    expect(patient.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'False' }));
    await cluster.clock.advance(100_000);
    expect(await leaving()).toEqual(['brittle', 'waiting']);
    await patch({ metadata: { annotations: { [FAKE]: 'fake' } } });
    await cluster.clock.advance(10_000);
    expect([await ready(), await taints(), await podNames()]).toEqual(['True', [], ['patient']]);
    const again = await cluster.client.get(Pods, { name: 'patient', namespace: 'default' });
    expect(again.status?.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  });

  test('that report trouble are tainted, and cordoned ones too', async () => {
    await patch({ metadata: { labels: { 'node-not-ready.stage.kwok.x-k8s.io': 'true' } } });
    await patch({ spec: { unschedulable: true } });
    await cluster.clock.advance(1000);
    expect(await taints()).toEqual(['not-ready:NoExecute', 'not-ready:NoSchedule', 'unschedulable:NoSchedule']);
    await patch({ metadata: { labels: { 'node-not-ready.stage.kwok.x-k8s.io': null } } });
    await patch({ spec: { unschedulable: false } });
    await cluster.clock.advance(1000);
    expect(await taints()).toEqual([]);
  });

  test('that are gone take their lease with them, and some time later their pods', async () => {
    await cluster.client.create(Pods, boundPod('left'));
    await cluster.clock.advance(1000);
    await cluster.client.delete(Nodes, { name: 'a' });
    await cluster.clock.advance(1000);
    expect(await cluster.list(Leases)).toEqual([]);
    expect(await podNames()).toEqual(['left']);
    await cluster.clock.advance(70_000);
    expect(await podNames()).toEqual([]);
  });

  test('that nobody asked us to run are left alone', async () => {
    const foreign: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'real' }, spec: {} };
    await cluster.client.create(Nodes, foreign);
    await cluster.client.create(Pods, boundPod('there', { nodeName: 'real' }));
    await cluster.clock.advance(5000);
    expect((await get('real')).status?.addresses ?? []).toEqual([]);
    expect((await cluster.client.get(Pods, { name: 'there', namespace: 'default' })).status?.phase).toBe('Pending');
  });
});
