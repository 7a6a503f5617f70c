import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { DaemonSet, Pod } from '../../src/kube/objects.ts';
import { ControllerRevisions, DaemonSets, Nodes, Pods } from '../../src/kube/resources.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../support/workload-cluster.ts';

const ref = { name: 'agent', namespace: 'kube-system' };

function daemonSet(spec: Partial<DaemonSet['spec']> = {}): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: ref,
    spec: { selector: { matchLabels: { app: 'agent' } }, template: template('one'), ...spec },
  };
}

function template(version: string, spec: Partial<Pod['spec']> = {}): DaemonSet['spec']['template'] {
  return { metadata: { labels: { app: 'agent' } }, spec: { containers: [{ name: 'main', image: version }], ...spec } };
}

describe('a DaemonSet', () => {
  let cluster: WorkloadCluster;

  beforeEach(async () => {
    cluster = await startWorkloadCluster({ agent: { podStartMs: 1000 } });
    await cluster.addNodes('a', 'b');
  });
  afterEach(() => cluster.stop());

  const placed = async (): Promise<readonly string[]> =>
    (await cluster.list(Pods)).map((pod) => `${pod.spec.nodeName} ${pod.spec.containers[0]?.image}`).sort();
  const patchNode = (name: string, body: unknown): Promise<unknown> =>
    cluster.client.patch(Nodes, { name }, { type: 'merge', body });
  const patch = (spec: unknown): Promise<unknown> =>
    cluster.client.patch(DaemonSets, ref, { type: 'merge', body: { spec } });

  test('runs one pod on every node, those that come later included', async () => {
    await cluster.client.create(DaemonSets, daemonSet());
    await cluster.clock.advance(3000);
    expect(await placed()).toEqual(['a one', 'b one']);
    await cluster.addNodes('c');
    await cluster.clock.advance(3000);
    expect(await placed()).toEqual(['a one', 'b one', 'c one']);
    expect((await cluster.client.get(DaemonSets, ref)).status).toMatchObject({
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      numberReady: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
    });
    expect(cluster.errors).toEqual([]);
  });

  test('keeps to nodes that fit, and follows their labels', async () => {
    await patchNode('a', { metadata: { labels: { disk: 'ssd' } } });
    await cluster.client.create(
      DaemonSets,
      daemonSet({ template: template('one', { nodeSelector: { disk: 'ssd' } }) }),
    );
    await cluster.clock.advance(3000);
    expect(await placed()).toEqual(['a one']);
    await patchNode('b', { metadata: { labels: { disk: 'ssd' } } });
    await patchNode('a', { metadata: { labels: { disk: null } } });
    await cluster.clock.advance(5000);
    expect(await placed()).toEqual(['b one']);
  });

  test('stays on a cordoned node, keeps off a tainted one, and leaves one that evicts', async () => {
    await patchNode('a', { spec: { unschedulable: true } });
    await patchNode('b', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } });
    await cluster.client.create(DaemonSets, daemonSet());
    await cluster.clock.advance(3000);
    expect(await placed()).toEqual(['a one']);
    await patchNode('a', { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } });
    await cluster.clock.advance(3000);
    expect(await placed()).toEqual([]);
  });

  test('replaces pods of an old template one node at a time, and keeps the history', async () => {
    await cluster.addNodes('c', 'd');
    await cluster.client.create(DaemonSets, daemonSet());
    await cluster.clock.advance(5000);
    await patch({ template: template('two') });
    let fewest = 4;
    for (let i = 0; i < 200; i++) {
      await cluster.clock.advance(100);
      const ready = (await cluster.list(Pods)).filter(
        (pod) => pod.status?.phase === 'Running' && !pod.metadata.deletionTimestamp,
      );
      fewest = Math.min(fewest, ready.length);
    }
    expect(fewest).toBe(3);
    expect(await placed()).toEqual(['a two', 'b two', 'c two', 'd two']);
    const revisions = (await cluster.list(ControllerRevisions)) as unknown as { revision: number }[];
    expect(revisions.map(({ revision }) => revision).sort()).toEqual([1, 2]);
    await patch({ template: template('one') });
    await cluster.clock.advance(20_000);
    expect(await placed()).toEqual(['a one', 'b one', 'c one', 'd one']);
    const after = (await cluster.list(ControllerRevisions)) as unknown as { revision: number }[];
    expect(after.map(({ revision }) => revision).sort()).toEqual([2, 3]);
  });

  test('runs both pods on a node while it surges', async () => {
    const rollingUpdate = { maxSurge: 1, maxUnavailable: 0 };
    await cluster.client.create(DaemonSets, daemonSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } }));
    await cluster.clock.advance(3000);
    await patch({ template: template('two') });
    for (let i = 0; i < 100; i++) {
      await cluster.clock.advance(100);
      const ready = (await cluster.list(Pods)).filter((pod) => pod.status?.phase === 'Running');
      expect(ready.length).toBeGreaterThanOrEqual(2);
    }
    expect(await placed()).toEqual(['a two', 'b two']);
  });

  test('waits for its pods to be deleted under OnDelete', async () => {
    await cluster.client.create(DaemonSets, daemonSet({ updateStrategy: { type: 'OnDelete' } }));
    await cluster.clock.advance(3000);
    await patch({ template: template('two') });
    await cluster.clock.advance(10_000);
    expect(await placed()).toEqual(['a one', 'b one']);
    const onA = (await cluster.list(Pods)).find((pod) => pod.spec.nodeName === 'a');
    await cluster.client.delete(Pods, { name: onA?.metadata.name ?? '', namespace: 'kube-system' });
    await cluster.clock.advance(5000);
    expect(await placed()).toEqual(['a two', 'b one']);
  });
});
