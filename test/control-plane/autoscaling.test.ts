import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../src/kube/objects.ts';
import { Deployments, Events, HorizontalPodAutoscalers } from '../../src/kube/resources.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../support/workload-cluster.ts';

const ref = { name: 'web', namespace: 'default' };

function autoscaler(spec: object = {}, load?: string): KubeObject {
  const target = { type: 'Utilization', averageUtilization: 50 };
  const annotations: Record<string, string> = load === undefined ? {} : { 'load.cli.karpenter.sh/cpu': load };
  const object = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { ...ref, annotations },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }],
      ...spec,
    },
  };
  return object;
}

describe('a HorizontalPodAutoscaler', () => {
  let cluster: WorkloadCluster;

  beforeEach(async () => {
    cluster = await startWorkloadCluster();
    await cluster.addNodes('a');
    const labels = { app: 'web' };
    const containers = [{ name: 'main', image: 'web', resources: { requests: { cpu: '1' } } }];
    await cluster.client.create(Deployments, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: ref,
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers } },
      },
    });
    await cluster.clock.advance(2000);
  });
  afterEach(() => cluster.stop());

  const size = async () => (await cluster.client.get(Deployments, ref)).spec.replicas;
  const load = (cpu: string): Promise<unknown> => {
    const body = { metadata: { annotations: { 'load.cli.karpenter.sh/cpu': cpu } } };
    return cluster.client.patch(HorizontalPodAutoscalers, ref, { type: 'merge', body });
  };
  const conditions = async (): Promise<readonly string[]> => {
    const { status } = (await cluster.client.get(HorizontalPodAutoscalers, ref)) as unknown as {
      status?: { conditions?: readonly { type: string; status: string; reason: string }[] };
    };
    return (status?.conditions ?? []).map(({ type, status: value, reason }) => `${type} ${value} ${reason}`);
  };

  test('grows until the load is shared out, doubling at most, and says so', async () => {
    await cluster.client.create(HorizontalPodAutoscalers, autoscaler({}, '4'));
    await cluster.clock.advance(1000);
    expect(await size()).toBe(4);
    expect(await conditions()).toContain('ScalingLimited True ScaleUpLimit');
    await cluster.clock.advance(15_000);
    expect(await size()).toBe(8);
    await cluster.clock.advance(60_000);
    expect(await size()).toBe(8);
    expect(await conditions()).toEqual([
      'AbleToScale True ReadyForNewScale',
      'ScalingActive True ValidMetricFound',
      'ScalingLimited False DesiredWithinRange',
    ]);
    const rescaled = (await cluster.list(Events)).filter(({ reason }) => reason === 'SuccessfulRescale');
    expect(rescaled.map(({ message }) => message)).toContain(
      'New size: 8; reason: cpu resource utilization (percentage of request) above target',
    );
    expect(cluster.errors).toEqual([]);
  });

  test('shrinks only when the load has been low for five minutes', async () => {
    await cluster.client.create(HorizontalPodAutoscalers, autoscaler({}, '1'));
    await cluster.clock.advance(60_000);
    expect(await size()).toBe(2);
    await load('100m');
    await cluster.clock.advance(240_000);
    expect(await size()).toBe(2);
    await cluster.clock.advance(90_000);
    expect(await size()).toBe(1);
  });

  test('keeps to its bounds', async () => {
    await cluster.client.create(HorizontalPodAutoscalers, autoscaler({ maxReplicas: 3 }, '50'));
    await cluster.clock.advance(30_000);
    expect(await size()).toBe(3);
    expect(await conditions()).toContain('ScalingLimited True TooManyReplicas');
  });

  test('does nothing while no load is set, and says why', async () => {
    await cluster.client.create(HorizontalPodAutoscalers, autoscaler());
    await cluster.clock.advance(30_000);
    expect(await size()).toBe(2);
    expect(await conditions()).toContain('ScalingActive False FailedGetResourceMetric');
    await load('4');
    await cluster.clock.advance(1000);
    expect(await size()).toBe(4);
  });
});
