import { describe, expect, test } from 'vitest';
import type { Pod } from '../../src/kube/objects.ts';
import { pod } from '../../test/factories/pod.ts';
import { DEFAULT_NODE_AGENT_OPTIONS, type NodeAgentOptions } from './options.ts';
import { POD_STAGES } from './pod-stages.ts';
import { endOf } from './stage.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const job = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: 'u', controller: true };
const ready = { type: 'Ready', status: 'True' } as const;
const running = { phase: 'Running', startTime: '2026-01-01T00:00:00Z', podIP: '10.0.0.2', conditions: [ready] };
const deleted = { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 };

/** The stages a pod is in, each with the seconds until it ends. */
function stagesOf(candidate: Pod, options: Partial<NodeAgentOptions> = {}, nodeReady = true): string {
  const all = { ...DEFAULT_NODE_AGENT_OPTIONS, ...options };
  return POD_STAGES.filter((stage) => stage.applies(candidate, all, nodeReady))
    .map((stage) => `${stage.name} ${(endOf(stage, candidate, all, NOW, 0.5) - NOW) / 1000}`)
    .join(', ');
}

describe('the stages of a fake pod', () => {
  const failing = { labels: { 'pod-container-running-failed.stage.kwok.x-k8s.io': 'true' } };
  const unhealthy = { labels: { 'kwok.x-k8s.io/stage': 'unhealthy' } };
  const annotated = (annotations: Record<string, string>) => ({ metadata: { annotations } });
  test.each<[string, Pod, string, Partial<NodeAgentOptions>?]>([
    ['a new pod runs at once', pod(), 'pod-ready 0'],
    ['or is created first if that takes time', pod(), 'pod-create 0, pod-ready 2', { podStartMs: 2000 }],
    [
      'init containers run one after the other, sidecars do not count',
      pod({
        spec: {
          containers: [{ name: 'c' }],
          initContainers: [{ name: 'a' }, { name: 'b' }, { name: 's', restartPolicy: 'Always' }],
        },
      }),
      'pod-create 0, pod-ready 6',
      { initContainerMs: 3000 },
    ],
    ['a running pod stays', pod({ status: running }), ''],
    ['an unhealthy one never becomes ready', pod({ metadata: unhealthy }), 'pod-unhealthy 0'],
    ['a pod of a Job completes', pod({ metadata: { ownerReferences: [job] }, status: running }), 'pod-complete 5'],
    [
      'or when its annotation says',
      pod({
        metadata: { ownerReferences: [job], annotations: { 'pod-complete.stage.kwok.x-k8s.io/delay': '90s' } },
        status: running,
      }),
      'pod-complete 90',
    ],
    [
      'jitter places the end between two delays',
      pod({
        ...annotated({
          'pod-complete.stage.kwok.x-k8s.io/delay': '10s',
          'pod-complete.stage.kwok.x-k8s.io/jitter-delay': '20s',
        }),
        status: running,
      }),
      'pod-complete 15',
    ],
    ['a pod that is to fail fails', pod({ metadata: failing, status: running }), 'pod-container-running-failed 1'],
    [
      'a deadline ends it',
      pod({ spec: { containers: [{ name: 'c' }], activeDeadlineSeconds: 20 }, status: running }),
      'pod-deadline 20',
    ],
    ['a deleted pod stops soon', pod({ metadata: deleted, status: running }), 'pod-delete 1'],
    [
      'whatever else it was to do',
      pod({ metadata: { ...deleted, ownerReferences: [job] }, status: running }),
      'pod-delete 1',
    ],
    [
      'or lives to the end of its grace',
      pod({ metadata: deleted, status: running }),
      'pod-delete 30',
      { liveOutGrace: true },
    ],
    [
      'or as long as its annotation says',
      pod({
        metadata: { ...deleted, annotations: { 'pod-delete.stage.kwok.x-k8s.io/delay': '10s' } },
        status: running,
      }),
      'pod-delete 10',
    ],
    [
      'no longer than its grace, however long stopping takes',
      pod({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 }, status: running }),
      'pod-delete 0',
    ],
  ])('%s', (_, candidate, expected, options) => {
    expect(stagesOf(candidate, options)).toBe(expected);
  });
});

test('a pod that lost Ready with its node gets it back with the node', () => {
  const lost = pod({ status: { ...running, conditions: [{ ...ready, status: 'False' }] } });
  expect(stagesOf(lost)).toBe('pod-recover 0');
  expect(stagesOf(lost, {}, false)).toBe('');
});

describe('what a stage leaves', () => {
  const context = { now: NOW, podIp: '10.0.0.2', hostIp: '172.16.0.2' };
  const next = (name: string, candidate: Pod) =>
    POD_STAGES.find((stage) => stage.name === name)?.next(candidate, context);

  test('a ready pod has addresses, running containers and all conditions, and keeps what others set', () => {
    const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: '2025-12-31T23:59:00Z' } as const;
    const status = next(
      'pod-ready',
      pod({ status: { phase: 'Pending', conditions: [scheduled], qosClass: 'Burstable' } }),
    );
    expect(status).toMatchObject({ phase: 'Running', podIP: '10.0.0.2', hostIP: '172.16.0.2', qosClass: 'Burstable' });
    expect(status).toMatchObject({ containerStatuses: [{ name: 'main', ready: true, state: { running: {} } }] });
    const conditions = typeof status === 'object' ? (status.conditions ?? []) : [];
    expect(conditions.map(({ type, status: value }) => `${type}=${value}`).sort()).toEqual([
      'ContainersReady=True',
      'Initialized=True',
      'PodReadyToStartContainers=True',
      'PodScheduled=True',
      'Ready=True',
    ]);
    expect(conditions).toContainEqual(scheduled);
  });

  test('an unhealthy pod is of phase Unknown and not ready', () => {
    expect(next('pod-unhealthy', pod())).toMatchObject({
      phase: 'Unknown',
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', status: 'False' })]),
    });
  });

  test('a failed container says why', () => {
    const failing = pod({
      metadata: { annotations: { 'pod-container-running-failed.stage.kwok.x-k8s.io/exit-code': '42' } },
    });
    expect(next('pod-container-running-failed', failing)).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 42, reason: 'containerFailed' } } }],
    });
  });
});
