import { describe, expect, test } from 'vitest';
import type { Deployment, ReplicaSet } from '../../kube/objects.ts';
import { planDeployment } from './plan.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');

function deployment(replicas: number, strategy?: Deployment['spec']['strategy'], paused = false): Deployment {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'd', generation: 1 },
    spec: {
      replicas,
      paused,
      selector: { matchLabels: { app: 'web' } },
      template: template('new'),
      progressDeadlineSeconds: 600,
      ...(strategy ? { strategy } : {}),
    },
  };
}

function template(image: string): Deployment['spec']['template'] {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } };
}

interface Size {
  readonly replicas: number;
  readonly available?: number;
  /** Sizes of the Deployment as the ReplicaSet was last told. */
  readonly told?: readonly [desired: number, max: number];
  readonly created?: string;
}

function replicaSet(image: string, { replicas, available = replicas, told, created = '01' }: Size): ReplicaSet {
  const annotations: Record<string, string> = { 'deployment.kubernetes.io/revision': image === 'new' ? '9' : '1' };
  if (told) {
    annotations['deployment.kubernetes.io/desired-replicas'] = String(told[0]);
    annotations['deployment.kubernetes.io/max-replicas'] = String(told[1]);
  }
  return {
    metadata: {
      name: image,
      namespace: 'default',
      uid: image,
      annotations,
      creationTimestamp: `2026-01-01T00:00:${created}Z`,
    },
    spec: { replicas, selector: {}, template: template(image) },
    status: { replicas, availableReplicas: available, readyReplicas: available },
  };
}

const rolling = (maxSurge: number | string, maxUnavailable: number | string) =>
  ({ type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } }) as const;

/** Sizes that a plan gives, `name size` in order; a ReplicaSet to be made is called `made`. */
function sizes(of: Deployment, sets: readonly ReplicaSet[]): string {
  const plan = planDeployment({ deployment: of, replicaSets: sets, pods: [] }, NOW);
  const made = plan.create ? [`made ${plan.create.spec.replicas}`] : [];
  const changed = plan.update
    .filter(
      (set) => set.spec.replicas !== sets.find(({ metadata }) => metadata.name === set.metadata.name)?.spec.replicas,
    )
    .map((set) => `${set.metadata.name} ${set.spec.replicas}`);
  return [...made, ...changed.sort()].join(', ');
}

describe('the next step of a rolling update', () => {
  test.each<[string, Deployment, readonly ReplicaSet[], string]>([
    ['makes the first ReplicaSet at full size', deployment(4), [], 'made 4'],
    [
      'makes a new one as large as the surge allows',
      deployment(10),
      [replicaSet('old', { replicas: 10 })],
      'made 3, old 8',
    ],
    ['never goes above the surge', deployment(4, rolling(1, 0)), [replicaSet('old', { replicas: 4 })], 'made 1'],
    [
      'shrinks the old only as new pods are available',
      deployment(4, rolling(1, 0)),
      [replicaSet('old', { replicas: 4 }), replicaSet('new', { replicas: 1, available: 0 })],
      '',
    ],
    [
      'shrinks the old when a new pod is available',
      deployment(4, rolling(1, 0)),
      [replicaSet('old', { replicas: 4 }), replicaSet('new', { replicas: 1 })],
      'old 3',
    ],
    [
      'grows the new one into the room',
      deployment(4, rolling(1, 0)),
      [replicaSet('old', { replicas: 3 }), replicaSet('new', { replicas: 1 })],
      'new 2',
    ],
    [
      'drops unhealthy old pods first, whichever ReplicaSet they are of',
      deployment(4, rolling(1, 1)),
      [
        replicaSet('oldest', { replicas: 2, available: 2, created: '00' }),
        replicaSet('older', { replicas: 2, available: 0, created: '01' }),
        replicaSet('new', { replicas: 1, available: 1 }),
      ],
      'older 0',
    ],
    [
      'moves one pod where both limits round to nothing',
      deployment(1, rolling('0%', '0%')),
      [replicaSet('old', { replicas: 1 }), replicaSet('new', { replicas: 0 })],
      'old 0',
    ],
    ['is over when the new one is complete', deployment(4), [replicaSet('new', { replicas: 4 })], ''],
  ])('%s', (_, of, sets, expected) => {
    expect(sizes(of, sets)).toBe(expected);
  });
});

describe('a change of size', () => {
  test.each<[string, Deployment, readonly ReplicaSet[], string]>([
    ['goes to the only active ReplicaSet', deployment(7), [replicaSet('new', { replicas: 4, told: [4, 5] })], 'new 7'],
    [
      'goes to the old one too while the Deployment is paused',
      deployment(7, undefined, true),
      [replicaSet('old', { replicas: 4, told: [4, 5] })],
      'old 7',
    ],
    [
      'is shared out in the middle of a rollout',
      deployment(20, rolling(0, '50%')),
      [replicaSet('old', { replicas: 6, told: [10, 10] }), replicaSet('new', { replicas: 4, told: [10, 10] })],
      'new 8, old 12',
    ],
    [
      'gives what is left over to the largest',
      deployment(5, rolling(0, '50%')),
      [
        replicaSet('a', { replicas: 5, told: [10, 10] }),
        replicaSet('b', { replicas: 3, told: [10, 10], created: '02' }),
        replicaSet('new', { replicas: 2, told: [10, 10], created: '03' }),
      ],
      'a 2, b 2, new 1',
    ],
    [
      'empties the old ones when the new one has all it needs',
      deployment(4),
      [replicaSet('old', { replicas: 2, told: [3, 4] }), replicaSet('new', { replicas: 4, told: [4, 5] })],
      'old 0',
    ],
  ])('%s', (_, of, sets, expected) => {
    expect(sizes(of, sets)).toBe(expected);
  });
});

describe('a new ReplicaSet', () => {
  test('has the template with its hash, and the Deployment’s annotations but for kubectl’s own', () => {
    const annotations = { team: 'a', 'kubectl.kubernetes.io/last-applied-configuration': '{}' };
    const of = { ...deployment(3), metadata: { ...deployment(3).metadata, annotations } };
    const { create } = planDeployment({ deployment: of, replicaSets: [], pods: [] }, NOW);
    const hash = create?.metadata.labels?.['pod-template-hash'] ?? '';
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{8,10}$/);
    expect(create?.metadata.name).toBe(`web-${hash}`);
    expect(create?.metadata.annotations).toEqual({
      team: 'a',
      'deployment.kubernetes.io/revision': '1',
      'deployment.kubernetes.io/desired-replicas': '3',
      'deployment.kubernetes.io/max-replicas': '4',
    });
    expect(create?.spec.selector.matchLabels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(create?.spec.template.metadata?.labels).toEqual({ app: 'web', 'pod-template-hash': hash });
  });

  test('is another one after a collision', () => {
    const names = [undefined, 1].map((collisionCount) => {
      const of = { ...deployment(3), status: collisionCount === undefined ? {} : { collisionCount } };
      return planDeployment({ deployment: of, replicaSets: [], pods: [] }, NOW).create?.metadata.name;
    });
    expect(names[0]).not.toBe(names[1]);
  });
});
