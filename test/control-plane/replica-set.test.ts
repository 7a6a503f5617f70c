import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Pod, ReplicaSet } from '../../src/kube/objects.ts';
import { Pods, ReplicaSets } from '../../src/kube/resources.ts';
import { pod } from '../factories/pod.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../support/workload-cluster.ts';

const ref = { name: 'web', namespace: 'default' };
const labels = { app: 'web' };

function replicaSet(replicas: number, spec: Partial<ReplicaSet['spec']> = {}): ReplicaSet {
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: ref,
    spec: { replicas, selector: { matchLabels: labels }, template, ...spec },
  };
}

describe('a ReplicaSet', () => {
  let cluster: WorkloadCluster;

  beforeEach(async () => {
    cluster = await startWorkloadCluster();
    await cluster.addNodes('a');
  });
  afterEach(() => cluster.stop());

  const names = async (): Promise<readonly string[]> => (await cluster.list(Pods)).map(({ metadata }) => metadata.name);
  const scale = (replicas: number): Promise<unknown> =>
    cluster.client.patch(ReplicaSets, ref, { type: 'merge', body: { spec: { replicas } } });

  test('makes as many pods as it needs and not one more, and looks at them seldom', async () => {
    const created = new Set<string | undefined>();
    let statuses = 0;
    const stop = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const { type, object } of cluster.client.watch(Pods, {}, stop.signal)) {
        if (type === 'ADDED') created.add((object as Pod).metadata.uid);
      }
    };
    const count = async (): Promise<void> => {
      for await (const { type } of cluster.client.watch(ReplicaSets, {}, stop.signal))
        if (type === 'MODIFIED') statuses++;
    };
    const following = Promise.all([follow(), count()]);
    await cluster.client.create(ReplicaSets, replicaSet(300));
    await cluster.clock.advance(5000);
    stop.abort();
    await following;
    expect(created.size).toBe(300);
    expect(statuses).toBeLessThan(30);
    expect((await cluster.client.get(ReplicaSets, ref)).status).toMatchObject({ replicas: 300, readyReplicas: 300 });
    expect(cluster.errors).toEqual([]);
  });

  test('takes in pods that match, gives up those that no longer do, and puts others in their place', async () => {
    await cluster.client.create(Pods, pod({ metadata: { name: 'stray', labels } }));
    await cluster.client.create(ReplicaSets, replicaSet(2));
    await cluster.clock.advance(1000);
    expect(await names()).toHaveLength(2);
    expect(await names()).toContain('stray');
    const body = { metadata: { labels: { app: 'debug' } } };
    await cluster.client.patch(Pods, { name: 'stray', namespace: 'default' }, { type: 'merge', body });
    await cluster.clock.advance(1000);
    expect(await names()).toHaveLength(3);
    const stray = await cluster.client.get(Pods, { name: 'stray', namespace: 'default' });
    expect(stray.metadata.ownerReferences ?? []).toEqual([]);
  });

  test('first deletes the pods that cost least', async () => {
    await cluster.client.create(ReplicaSets, replicaSet(3));
    await cluster.clock.advance(1000);
    const [cheap, ...others] = await names();
    for (const name of others) {
      const body = { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '10' } } };
      await cluster.client.patch(Pods, { name, namespace: 'default' }, { type: 'merge', body });
    }
    await scale(2);
    await cluster.clock.advance(2000);
    expect(await names()).not.toContain(cheap);
  });

  test('counts pods as available only after they have been ready long enough', async () => {
    await cluster.client.create(ReplicaSets, replicaSet(2, { minReadySeconds: 20 }));
    await cluster.clock.advance(15_000);
    const status = async () => (await cluster.client.get(ReplicaSets, ref)).status;
    expect(await status()).toMatchObject({ readyReplicas: 2 });
    expect((await status())?.availableReplicas ?? 0).toBe(0);
    await cluster.clock.advance(10_000);
    expect(await status()).toMatchObject({ availableReplicas: 2 });
  });
});
