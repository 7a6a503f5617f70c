import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CronJob, Job, Pod } from '../../src/kube/objects.ts';
import { CronJobs, Events, Jobs, Pods } from '../../src/kube/resources.ts';
import { startWorkloadCluster, type WorkloadCluster } from '../support/workload-cluster.ts';

const ref = { name: 'sum', namespace: 'default' };
const FAILS = { 'pod-container-running-failed.stage.kwok.x-k8s.io': 'true' };

function template(labels: Record<string, string> = {}): Job['spec']['template'] {
  return { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'sum' }] } };
}

function job(spec: Partial<Job['spec']> = {}): Job {
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: ref, spec: { template: template(), ...spec } };
}

describe('a Job', () => {
  let cluster: WorkloadCluster;

  beforeEach(async () => {
    cluster = await startWorkloadCluster({ agent: { jobPodMs: 5000 } });
    await cluster.addNodes('a', 'b');
  });
  afterEach(() => cluster.stop());

  const get = (): Promise<Job> => cluster.client.get(Jobs, ref);
  const conditions = async (): Promise<readonly string[]> =>
    ((await get()).status?.conditions ?? [])
      .filter(({ status }) => status === 'True')
      .map(({ type, reason }) => `${type} ${reason}`);
  const running = async (): Promise<readonly Pod[]> =>
    (await cluster.list(Pods)).filter((pod) => pod.status?.phase === 'Running');

  test('runs to completion, so many pods at a time', async () => {
    await cluster.client.create(Jobs, job({ completions: 5, parallelism: 2 }));
    await cluster.clock.advance(1000);
    expect(await running()).toHaveLength(2);
    expect((await get()).status).toMatchObject({ active: 2, ready: 2 });
    await cluster.clock.advance(20_000);
    expect((await get()).status).toMatchObject({ succeeded: 5, uncountedTerminatedPods: {} });
    expect((await get()).status?.active).toBeUndefined();
    expect(await conditions()).toEqual(['SuccessCriteriaMet CompletionsReached', 'Complete CompletionsReached']);
    expect((await cluster.list(Pods)).map((pod) => pod.metadata.finalizers ?? [])).toEqual(new Array(5).fill([]));
    expect(cluster.errors).toEqual([]);
  });

  test('counts a pod once, even when it is gone the next moment', async () => {
    await cluster.client.create(Jobs, job({ completions: 3, parallelism: 1 }));
    for (let i = 0; i < 300 && (await conditions()).length === 0; i++) {
      await cluster.clock.advance(100);
      for (const pod of await cluster.list(Pods)) {
        if (pod.status?.phase === 'Succeeded') {
          await cluster.client.delete(Pods, { name: pod.metadata.name, namespace: 'default' });
        }
      }
    }
    expect((await get()).status).toMatchObject({ succeeded: 3 });
    expect((await get()).status?.failed).toBeUndefined();
  });

  test('gives each pod of an Indexed Job its index', async () => {
    await cluster.client.create(Jobs, job({ completions: 4, parallelism: 4, completionMode: 'Indexed' }));
    await cluster.clock.advance(1000);
    const indexes = (await cluster.list(Pods)).map(
      (pod) => pod.metadata.annotations?.['batch.kubernetes.io/job-completion-index'],
    );
    expect(indexes.sort()).toEqual(['0', '1', '2', '3']);
    await cluster.clock.advance(10_000);
    expect((await get()).status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' });
  });

  test('gives up after its back-off limit, slower from failure to failure', async () => {
    await cluster.client.create(Jobs, job({ backoffLimit: 2, template: template(FAILS) }));
    await cluster.clock.advance(5000);
    expect((await get()).status).toMatchObject({ failed: 1 });
    await cluster.clock.advance(10_000);
    expect((await get()).status).toMatchObject({ failed: 2 });
    await cluster.clock.advance(30_000);
    expect(await conditions()).toEqual(['FailureTarget BackoffLimitExceeded', 'Failed BackoffLimitExceeded']);
  });

  test('ends at its deadline', async () => {
    await cluster.client.create(Jobs, job({ completions: 50, parallelism: 1, activeDeadlineSeconds: 12 }));
    await cluster.clock.advance(15_000);
    expect(await conditions()).toEqual(['FailureTarget DeadlineExceeded', 'Failed DeadlineExceeded']);
    await cluster.clock.advance(5000);
    expect(await running()).toEqual([]);
  });

  test('can be suspended and resumed, which is no failure', async () => {
    await cluster.client.create(Jobs, job({ completions: 2, parallelism: 2 }));
    await cluster.clock.advance(1000);
    await cluster.client.patch(Jobs, ref, { type: 'merge', body: { spec: { suspend: true } } });
    await cluster.clock.advance(4000);
    expect(await cluster.list(Pods)).toEqual([]);
    expect(await conditions()).toEqual(['Suspended JobSuspended']);
    await cluster.client.patch(Jobs, ref, { type: 'merge', body: { spec: { suspend: false } } });
    await cluster.clock.advance(10_000);
    expect((await get()).status).toMatchObject({ succeeded: 2 });
    expect((await get()).status?.failed).toBeUndefined();
  });

  test('goes some time after its end if it says so, with its pods', async () => {
    await cluster.client.create(Jobs, job({ ttlSecondsAfterFinished: 30 }));
    await cluster.clock.advance(20_000);
    expect(await cluster.list(Jobs)).toHaveLength(1);
    await cluster.clock.advance(30_000);
    expect([await cluster.list(Jobs), await cluster.list(Pods)]).toEqual([[], []]);
  });

  test('leaves nothing behind when deleted half-way', async () => {
    await cluster.client.create(Jobs, job({ completions: 10, parallelism: 3 }));
    await cluster.clock.advance(7000);
    await cluster.client.delete(Jobs, ref, { propagationPolicy: 'Background' });
    await cluster.clock.advance(5000);
    expect([await cluster.list(Jobs), await cluster.list(Pods)]).toEqual([[], []]);
  });
});

describe('a CronJob', () => {
  let cluster: WorkloadCluster;

  beforeEach(async () => {
    cluster = await startWorkloadCluster({ agent: { jobPodMs: 90_000 } });
    await cluster.addNodes('a');
  });
  afterEach(() => cluster.stop());

  const create = (spec: Partial<CronJob['spec']>): Promise<unknown> =>
    cluster.client.create(CronJobs, {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: ref,
      spec: { schedule: '* * * * *', jobTemplate: { spec: { template: template() } }, ...spec },
    });
  const names = async (): Promise<readonly string[]> =>
    (await cluster.list(Jobs)).map(({ metadata }) => metadata.name).sort();

  test('starts a Job at each of its times, named after it', async () => {
    await create({ schedule: '*/5 * * * *' });
    await cluster.clock.advance(11 * 60_000);
    const minute = Date.UTC(2026, 0, 1) / 60_000;
    expect(await names()).toEqual([`sum-${minute + 5}`, `sum-${minute + 10}`]);
    expect((await cluster.client.get(CronJobs, ref)).status).toMatchObject({
      lastScheduleTime: '2026-01-01T00:10:00Z',
      lastSuccessfulTime: '2026-01-01T00:06:30Z',
    });
    expect(cluster.errors).toEqual([]);
  });

  test.each([
    ['Allow', 2],
    ['Forbid', 1],
    ['Replace', 1],
  ])('with %s has %d running at once', async (concurrencyPolicy, expected) => {
    await create({ concurrencyPolicy });
    await cluster.clock.advance(145_000);
    const active = (await cluster.list(Jobs)).filter((job) => (job.status?.active ?? 0) > 0);
    expect(active).toHaveLength(expected);
  });

  test('keeps so many finished Jobs', async () => {
    await create({ successfulJobsHistoryLimit: 2 });
    await cluster.clock.advance(600_000);
    const finished = (await cluster.list(Jobs)).filter((job) => job.status?.completionTime);
    expect(finished).toHaveLength(2);
  });

  test('starts nothing while suspended, and skips what is too late', async () => {
    await create({ suspend: true, startingDeadlineSeconds: 10 });
    await cluster.clock.advance(130_000);
    expect(await names()).toEqual([]);
    await cluster.clock.advance(30_000);
    await cluster.client.patch(CronJobs, ref, { type: 'merge', body: { spec: { suspend: false } } });
    await cluster.clock.advance(5000);
    expect(await names()).toEqual([]);
    const reasons = (await cluster.list(Events)).map(({ reason }) => reason);
    expect(reasons).toContain('MissSchedule');
    await cluster.clock.advance(20_000);
    expect(await names()).toHaveLength(1);
  });
});
