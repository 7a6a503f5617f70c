import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Deployment, Pod, ReplicaSet } from '../../src/kube/objects.ts';
import { Deployments, Events, Pods, ReplicaSets } from '../../src/kube/resources.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../support/workload-cluster.ts';

const ref = { name: 'web', namespace: 'default' };

function deployment(spec: Partial<Deployment['spec']> = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: ref,
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: 'web' } },
      template: template('one'),
      progressDeadlineSeconds: 600,
      revisionHistoryLimit: 10,
      ...spec,
    },
  };
}

function template(version: string): Deployment['spec']['template'] {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: `web:${version}` }] } };
}

describe('a Deployment', () => {
  let cluster: WorkloadCluster;

  beforeEach(async () => {
    cluster = await startWorkloadCluster({ agent: { podStartMs: 1000 } });
    await cluster.addNodes('a', 'b');
  });
  afterEach(() => cluster.stop());

  const get = (): Promise<Deployment> => cluster.client.get(Deployments, ref);
  const patch = (spec: unknown): Promise<unknown> =>
    cluster.client.patch(Deployments, ref, { type: 'merge', body: { spec } });
  const pods = (): Promise<readonly Pod[]> => cluster.list(Pods);
  const sets = (): Promise<readonly ReplicaSet[]> => cluster.list(ReplicaSets);
  const condition = async (type: string): Promise<string> => {
    const conditions = (await get()).status?.conditions as { type: string; status: string; reason: string }[];
    const found = conditions.find((c) => c.type === type);
    return `${found?.status} ${found?.reason}`;
  };

  test('brings up its pods, and says that they are available', async () => {
    await cluster.client.create(Deployments, deployment());
    await cluster.clock.advance(3000);
    expect((await pods()).map((pod) => pod.status?.phase)).toEqual(['Running', 'Running', 'Running', 'Running']);
    expect((await get()).status).toMatchObject({
      replicas: 4,
      updatedReplicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
    });
    expect(await condition('Available')).toBe('True MinimumReplicasAvailable');
    expect(await condition('Progressing')).toBe('True NewReplicaSetAvailable');
    expect((await get()).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('1');
    expect(cluster.errors).toEqual([]);
  });

  test('follows its size up and down', async () => {
    await cluster.client.create(Deployments, deployment());
    await cluster.clock.advance(3000);
    await patch({ replicas: 7 });
    await cluster.clock.advance(3000);
    expect(await pods()).toHaveLength(7);
    await patch({ replicas: 2 });
    await cluster.clock.advance(3000);
    expect(await pods()).toHaveLength(2);
    expect(await sets()).toHaveLength(1);
    const messages = (await cluster.list(Events))
      .filter(({ reason }) => reason === 'ScalingReplicaSet')
      .map((e) => e.message);
    expect(messages.map((message) => message?.replace(/web-\w+/, 'SET')).sort()).toEqual([
      'Scaled down replica set SET from 7 to 2',
      'Scaled up replica set SET from 0 to 4',
      'Scaled up replica set SET from 4 to 7',
    ]);
  });

  test('rolls a new template out without ever leaving its limits', async () => {
    await cluster.client.create(Deployments, deployment({ strategy: limits(1, 1) }));
    await cluster.clock.advance(3000);
    await patch({ template: template('two') });
    let most = 0;
    let leastReady = 99;
    for (let i = 0; i < 300; i++) {
      await cluster.clock.advance(100);
      const now = (await pods()).filter((pod) => !pod.metadata.deletionTimestamp);
      most = Math.max(most, now.length);
      leastReady = Math.min(leastReady, now.filter(isReady).length);
    }
    expect(most).toBeLessThanOrEqual(5);
    expect(leastReady).toBeGreaterThanOrEqual(3);
    expect((await pods()).map((pod) => pod.spec.containers[0]?.image)).toEqual(new Array(4).fill('web:two'));
    expect((await get()).status).toMatchObject({ replicas: 4, updatedReplicas: 4, availableReplicas: 4 });
    expect(await condition('Progressing')).toBe('True NewReplicaSetAvailable');
  });

  test('goes back to a ReplicaSet it had before, as its newest revision', async () => {
    await cluster.client.create(Deployments, deployment());
    await cluster.clock.advance(3000);
    await patch({ template: template('two') });
    await cluster.clock.advance(20_000);
    await patch({ template: template('one') });
    await cluster.clock.advance(20_000);
    const bySize = (await sets()).map((set) => [
      set.spec.template.spec.containers[0]?.image,
      set.spec.replicas,
      set.metadata.annotations?.['deployment.kubernetes.io/revision'],
      set.metadata.annotations?.['deployment.kubernetes.io/revision-history'],
    ]);
    expect(bySize.sort()).toEqual([
      ['web:one', 4, '3', '1'],
      ['web:two', 0, '2', undefined],
    ]);
    expect((await get()).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
  });

  test('stops all old pods before the first new one under Recreate', async () => {
    await cluster.client.create(Deployments, deployment({ strategy: { type: 'Recreate' } }));
    await cluster.clock.advance(3000);
    await patch({ template: template('two') });
    for (let i = 0; i < 100; i++) {
      await cluster.clock.advance(100);
      expect(new Set((await pods()).map((pod) => pod.spec.containers[0]?.image)).size).toBeLessThanOrEqual(1);
    }
    expect((await pods()).map((pod) => pod.spec.containers[0]?.image)).toEqual(new Array(4).fill('web:two'));
  });

  test('does nothing while paused', async () => {
    await cluster.client.create(Deployments, deployment());
    await cluster.clock.advance(3000);
    await patch({ paused: true });
    await patch({ template: template('two') });
    await cluster.clock.advance(10_000);
    expect(await sets()).toHaveLength(1);
    expect(await condition('Progressing')).toBe('Unknown DeploymentPaused');
    await patch({ paused: false });
    await cluster.clock.advance(20_000);
    expect((await pods()).map((pod) => pod.spec.containers[0]?.image)).toEqual(new Array(4).fill('web:two'));
  });

  test('says when it makes no progress', async () => {
    const stuck = template('one');
    const template2 = { ...stuck, spec: { ...stuck.spec, nodeSelector: { missing: 'yes' } } };
    await cluster.client.create(Deployments, deployment({ template: template2, progressDeadlineSeconds: 30 }));
    await cluster.clock.advance(20_000);
    expect(await condition('Progressing')).toBe('True ReplicaSetUpdated');
    await cluster.clock.advance(20_000);
    expect(await condition('Progressing')).toBe('False ProgressDeadlineExceeded');
  });

  test('keeps no more history than it is told to', async () => {
    await cluster.client.create(Deployments, deployment({ revisionHistoryLimit: 1 }));
    for (const version of ['two', 'three', 'four']) {
      await cluster.clock.advance(20_000);
      await patch({ template: template(version) });
    }
    await cluster.clock.advance(20_000);
    const images = (await sets()).map((set) => set.spec.template.spec.containers[0]?.image).sort();
    expect(images).toEqual(['web:four', 'web:three']);
  });

  test.each(['Background', 'Foreground'] as const)('takes all it made with it when deleted (%s)', async (policy) => {
    await cluster.client.create(Deployments, deployment());
    await cluster.clock.advance(3000);
    await cluster.client.delete(Deployments, ref, { propagationPolicy: policy });
    await cluster.clock.advance(3000);
    expect([await cluster.list(Deployments), await sets(), await pods()]).toEqual([[], [], []]);
  });

  test('leaves its pods when orphaning, and takes them in again', async () => {
    await cluster.client.create(Deployments, deployment());
    await cluster.clock.advance(3000);
    const before = (await pods()).map((pod) => pod.metadata.uid).sort();
    await cluster.client.delete(Deployments, ref, { propagationPolicy: 'Orphan' });
    await cluster.clock.advance(3000);
    expect((await pods()).map((pod) => pod.metadata.uid).sort()).toEqual(before);
    const [set] = await sets();
    expect(set?.metadata.ownerReferences ?? []).toEqual([]);
    await cluster.client.delete(
      ReplicaSets,
      { name: set?.metadata.name ?? '', namespace: 'default' },
      { propagationPolicy: 'Orphan' },
    );
    await cluster.clock.advance(1000);
    await cluster.client.create(Deployments, deployment());
    await cluster.clock.advance(3000);
    expect((await pods()).map((pod) => pod.metadata.uid).sort()).toEqual(before);
  });

  test('replaces a pod that is deleted', async () => {
    await cluster.client.create(Deployments, deployment());
    await cluster.clock.advance(3000);
    const [first] = await pods();
    await cluster.client.delete(Pods, { name: first?.metadata.name ?? '', namespace: 'default' });
    await cluster.clock.advance(3000);
    const now = await pods();
    expect(now).toHaveLength(4);
    expect(now.map((pod) => pod.metadata.name)).not.toContain(first?.metadata.name);
  });
});

function limits(maxSurge: number, maxUnavailable: number): NonNullable<Deployment['spec']['strategy']> {
  return { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
}

function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}
