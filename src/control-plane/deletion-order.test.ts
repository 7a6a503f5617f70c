import { describe, expect, test } from 'vitest';
import { pod } from '../../test/factories/pod.ts';
import type { Pod } from '../kube/objects.ts';
import { inDeletionOrder } from './deletion-order.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

interface Traits {
  readonly node?: string;
  readonly phase?: string;
  readonly readyFor?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly age?: number;
  readonly uid?: string;
}

function candidate(name: string, traits: Traits): Pod {
  const { node = 'n', phase = 'Running', readyFor = 60, cost, restarts = 0, age = 60, uid = name } = traits;
  const ready = readyFor >= 0;
  return pod({
    metadata: {
      name,
      uid,
      creationTimestamp: ago(age),
      annotations: cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': cost },
    },
    spec: { nodeName: node, containers: [{ name: 'c' }] },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: ago(Math.abs(readyFor)) }],
      containerStatuses: [{ name: 'c', restartCount: restarts }],
    },
  });
}

describe('of two pods the one to be deleted first', () => {
  test.each<[string, Traits, Traits]>([
    ['has no node', { node: '' }, { phase: 'Pending' }],
    ['is pending', { phase: 'Pending' }, { readyFor: -1 }],
    ['is of unknown phase rather than running', { phase: 'Unknown' }, { readyFor: -1 }],
    ['is not ready', { readyFor: -1, cost: '5' }, { cost: '-5' }],
    ['costs less', { cost: '-1' }, { cost: '0' }],
    ['costs nothing when its cost is no number', { cost: 'dear' }, { cost: '1' }],
    ['shares its node with more of its kind', { node: 'crowded', readyFor: 9999 }, { node: 'n', readyFor: 1 }],
    ['has been ready for less', { readyFor: 10, restarts: 0 }, { readyFor: 100, restarts: 5 }],
    ['has restarted more', { restarts: 2, age: 1000 }, { restarts: 1, age: 10 }],
    ['is younger', { age: 10, readyFor: 5 }, { age: 1000, readyFor: 5 }],
    [
      'has the lower uid when both are about as old',
      { age: 70, readyFor: 5, uid: 'a' },
      { age: 65, readyFor: 5, uid: 'b' },
    ],
  ])('%s', (_, first, second) => {
    const pods = [candidate('second', second), candidate('first', first)];
    const neighbours = [candidate('x', { node: 'crowded' }), candidate('y', { node: 'crowded' })];
    const order = inDeletionOrder(pods, [...pods, ...neighbours], NOW).map(({ metadata }) => metadata.name);
    expect(order).toEqual(['first', 'second']);
  });
});
