import { describe, expect, test } from 'vitest';
import { NODE_CLAIM_CONDITIONS } from './condition-types.ts';
import { type Conditioned, ConditionSet } from './conditions.ts';

const CREATED = '2026-01-01T00:00:00Z';
const at = (seconds: number): number => Date.parse(CREATED) + seconds * 1000;
const claim = (changes: Partial<Conditioned['metadata']> = {}, conditions?: Conditioned['status']): Conditioned => ({
  metadata: { name: 'c', generation: 1, creationTimestamp: CREATED, ...changes },
  ...(conditions ? { status: conditions } : {}),
});
const conditionsOf = (object: Conditioned, seconds = 0) => new ConditionSet(object, NODE_CLAIM_CONDITIONS, at(seconds));

describe('a fresh object', () => {
  test('1.9.1: has every known condition as unknown since its creation, the root last', () => {
    const set = conditionsOf(claim(), 60);
    expect(set.conditions.map((c) => [c.type, c.status, c.reason, c.lastTransitionTime])).toEqual([
      ['Launched', 'Unknown', 'AwaitingReconciliation', CREATED],
      ['Registered', 'Unknown', 'AwaitingReconciliation', CREATED],
      ['Initialized', 'Unknown', 'AwaitingReconciliation', CREATED],
      ['Ready', 'Unknown', 'ReconcilingDependents', CREATED],
    ]);
  });
});

describe('a transition', () => {
  test('1.9.2: moves the time with the status, not with the reason', () => {
    const set = conditionsOf(claim(), 10);
    set.setUnknown('Registered', 'NodeNotFound', 'none yet');
    expect(set.since('Registered')).toBe(at(0));
    set.setTrue('Registered');
    expect(set.get('Registered')).toMatchObject({ reason: 'Registered', lastTransitionTime: '2026-01-01T00:00:10Z' });
  });

  test('1.9.2: of a condition that was not there starts now', () => {
    const set = conditionsOf(claim(), 5);
    set.setTrue('Drifted', 'NodePoolDrifted');
    expect(set.since('Drifted')).toBe(at(5));
  });

  test('1.9.2: answers whether it changed anything', () => {
    const set = conditionsOf(claim());
    expect(set.setTrue('Launched')).toBe(true);
    expect(set.setTrue('Launched')).toBe(false);
  });
});

describe('the root', () => {
  test('1.9.3: is true once all dependents are', () => {
    const set = conditionsOf(claim());
    for (const type of ['Launched', 'Registered', 'Initialized']) set.setTrue(type);
    expect(set.get('Ready')).toMatchObject({ status: 'True', reason: 'Ready' });
  });

  test('1.9.3: is false as soon as one dependent is, and names what is missing', () => {
    const set = conditionsOf(claim());
    set.setTrue('Launched');
    set.setFalse('Registered', 'MultipleNodesFound', 'two');
    expect(set.get('Ready')).toMatchObject({ status: 'False', reason: 'UnhealthyDependents' });
    expect(set.get('Ready')?.message).toContain('Registered=False');
  });

  test('1.9.3: does not trust a dependent that was observed at an older generation', () => {
    const first = conditionsOf(claim());
    for (const type of ['Launched', 'Registered', 'Initialized']) first.setTrue(type);
    const later = conditionsOf(claim({ generation: 2 }, { conditions: first.conditions }));
    later.setTrue('Launched');
    expect(later.isUnknown('Ready')).toBe(true);
  });
});

test('1.9.4: only conditions that stand for themselves can be cleared, which leaves the others by name', () => {
  const set = conditionsOf(claim());
  set.setTrue('Consolidatable');
  expect(set.clear('Consolidatable')).toBe(true);
  expect(set.clear('Launched')).toBe(false);
  expect(set.conditions.map((c) => c.type)).toEqual(['Initialized', 'Launched', 'Ready', 'Registered']);
});

test('1.9.4: conditions stand in the order of their transitions, the root last', () => {
  const first = conditionsOf(claim(), 10);
  first.setTrue('Consolidatable');
  const second = conditionsOf(claim({}, { conditions: first.conditions }), 20);
  second.setTrue('Launched');
  expect(second.conditions.map((c) => c.type)).toEqual([
    'Registered',
    'Initialized',
    'Consolidatable',
    'Launched',
    'Ready',
  ]);
});

test('1.9.2: setting stamps the generation, on a deleting object that of all conditions', () => {
  const first = conditionsOf(claim());
  first.setTrue('Launched');
  const changes = { generation: 2, deletionTimestamp: CREATED };
  const deleting = conditionsOf(claim(changes, { conditions: first.conditions }), 30);
  deleting.setTrue('InstanceTerminating');
  expect(deleting.conditions.map((c) => c.observedGeneration)).toEqual([2, 2, 2, 2, 2]);
});

test('the object itself is left alone', () => {
  const object = claim();
  const set = conditionsOf(object);
  set.setTrue('Launched');
  expect(object.status).toBeUndefined();
  expect(set.applied(object).status?.conditions).toBe(set.conditions);
});
