import { describe, expect, test } from 'vitest';
import { pod } from '../../../test/factories/pod.ts';
import type { Taint, Toleration } from '../../kube/objects.ts';
import { evictionTime } from './taint-eviction.ts';

const taint = (key: string, second: number): Taint => ({
  key,
  effect: 'NoExecute',
  timeAdded: `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`,
});
const tolerating = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

describe('when a pod must leave', () => {
  test.each<[string, readonly Toleration[], readonly Taint[], string | number | undefined]>([
    ['at once without a toleration', [], [taint('a', 5)], 0],
    ['never when it tolerates for ever', [tolerating('a')], [taint('a', 5)], undefined],
    ['after its seconds', [tolerating('a', 30)], [taint('a', 5)], '2026-01-01T00:00:35.000Z'],
    ['at once with none', [tolerating('a', 0)], [taint('a', 5)], 0],
    ['at once when one of two is not tolerated', [tolerating('a', 30)], [taint('a', 5), taint('b', 5)], 0],
    [
      'after the shortest of several',
      [tolerating('a', 30), tolerating('b', 10)],
      [taint('a', 5), taint('b', 9)],
      '2026-01-01T00:00:19.000Z',
    ],
  ])('%s', (_, tolerations, taints, expected) => {
    const time = evictionTime(pod({ spec: { containers: [], tolerations } }), taints);
    expect(time ? new Date(time).toISOString() : time).toBe(expected);
  });

  test('counts from the pod’s own beginning when the taint was there before', () => {
    const young = pod({
      metadata: { creationTimestamp: '2026-01-01T00:01:00Z' },
      spec: { containers: [], tolerations: [tolerating('a', 30)] },
    });
    expect(new Date(evictionTime(young, [taint('a', 5)]) ?? 0).toISOString()).toBe('2026-01-01T00:01:30.000Z');
  });
});
