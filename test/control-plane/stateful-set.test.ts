import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Pod, StatefulSet } from '../../src/kube/objects.ts';
import { PersistentVolumeClaims, Pods, StatefulSets, StorageClasses } from '../../src/kube/resources.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../support/workload-cluster.ts';

const ref = { name: 'db', namespace: 'default' };

function statefulSet(spec: Partial<StatefulSet['spec']> = {}): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: ref,
    spec: {
      replicas: 3,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: template('one'),
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: {
            storageClassName: 'standard',
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
          },
        },
      ],
      ...spec,
    },
  };
}

function template(version: string): StatefulSet['spec']['template'] {
  return {
    metadata: { labels: { app: 'db' } },
    spec: { terminationGracePeriodSeconds: 30, containers: [{ name: 'main', image: version }] },
  };
}

describe('a StatefulSet', () => {
  let cluster: WorkloadCluster;

  beforeEach(async () => {
    cluster = await startWorkloadCluster({ agent: { podStartMs: 1000 } });
    await cluster.client.create(StorageClasses, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'standard' },
      provisioner: 'disk.example.com',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    await cluster.addNodes('a', 'b');
  });
  afterEach(() => cluster.stop());

  const pods = async (): Promise<readonly string[]> =>
    (await cluster.list(Pods)).map((pod) => `${pod.metadata.name} ${pod.spec.containers[0]?.image}`).sort();
  const claims = async (): Promise<readonly string[]> =>
    (await cluster.list(PersistentVolumeClaims)).map(({ metadata }) => metadata.name).sort();
  const patch = (spec: unknown): Promise<unknown> =>
    cluster.client.patch(StatefulSets, ref, { type: 'merge', body: { spec } });

  /** The pods' names, each noted when it is first seen. */
  async function arrivals(ms: number): Promise<readonly string[]> {
    const seen: string[] = [];
    for (let passed = 0; passed < ms; passed += 100) {
      await cluster.clock.advance(100);
      for (const { metadata } of await cluster.list(Pods)) if (!seen.includes(metadata.name)) seen.push(metadata.name);
    }
    return seen;
  }

  test('starts its pods in order, each with its own claims', async () => {
    await cluster.client.create(StatefulSets, statefulSet());
    await cluster.clock.advance(900);
    expect(await pods()).toEqual(['db-0 one']);
    expect(await arrivals(5000)).toEqual(['db-0', 'db-1', 'db-2']);
    expect(await claims()).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
    const pod = await cluster.client.get(Pods, { name: 'db-1', namespace: 'default' });
    expect(pod.spec).toMatchObject({
      hostname: 'db-1',
      subdomain: 'db',
      volumes: expect.arrayContaining([
        expect.objectContaining({ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }),
      ]),
    });
    expect((await cluster.client.get(StatefulSets, ref)).status).toMatchObject({
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      updatedReplicas: 3,
    });
    expect(cluster.errors).toEqual([]);
  });

  test('starts them all at once if it may', async () => {
    await cluster.client.create(StatefulSets, statefulSet({ podManagementPolicy: 'Parallel' }));
    await cluster.clock.advance(100);
    expect(await pods()).toHaveLength(3);
  });

  test('takes them away from the last, and keeps their claims', async () => {
    await cluster.client.create(StatefulSets, statefulSet());
    await cluster.clock.advance(5000);
    await patch({ replicas: 1 });
    await cluster.clock.advance(500);
    const leaving = (await cluster.list(Pods)).filter((pod: Pod) => pod.metadata.deletionTimestamp);
    expect(leaving.map(({ metadata }) => metadata.name)).toEqual(['db-2']);
    await cluster.clock.advance(5000);
    expect(await pods()).toEqual(['db-0 one']);
    expect(await claims()).toHaveLength(3);
  });

  test('lets claims go as its retention policy says', async () => {
    const persistentVolumeClaimRetentionPolicy = { whenScaled: 'Delete', whenDeleted: 'Delete' };
    await cluster.client.create(StatefulSets, statefulSet({ persistentVolumeClaimRetentionPolicy }));
    await cluster.clock.advance(5000);
    await patch({ replicas: 1 });
    await cluster.clock.advance(5000);
    expect(await claims()).toEqual(['data-db-0']);
    await cluster.client.delete(StatefulSets, ref);
    await cluster.clock.advance(5000);
    expect(await claims()).toEqual([]);
  });

  test('updates from the last pod down to its partition', async () => {
    const rollingUpdate = { partition: 1 };
    await cluster.client.create(
      StatefulSets,
      statefulSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } }),
    );
    await cluster.clock.advance(5000);
    await patch({ template: template('two') });
    await cluster.clock.advance(20_000);
    expect(await pods()).toEqual(['db-0 one', 'db-1 two', 'db-2 two']);
    await cluster.client.delete(Pods, { name: 'db-0', namespace: 'default' });
    await cluster.clock.advance(5000);
    expect(await pods()).toEqual(['db-0 one', 'db-1 two', 'db-2 two']);
    await patch({ updateStrategy: { rollingUpdate: { partition: 0 } } });
    await cluster.clock.advance(10_000);
    expect(await pods()).toEqual(['db-0 two', 'db-1 two', 'db-2 two']);
    const status = (await cluster.client.get(StatefulSets, ref)).status ?? {};
    expect(status.currentRevision).toBe(status.updateRevision);
  });

  test('begins at the ordinal it is given', async () => {
    await cluster.client.create(StatefulSets, statefulSet({ replicas: 2, ordinals: { start: 5 } }));
    await cluster.clock.advance(5000);
    expect(await pods()).toEqual(['db-5 one', 'db-6 one']);
  });
});
