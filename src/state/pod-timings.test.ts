import { beforeEach, expect, test } from 'vitest';
import { pod } from '../../test/factories/index.ts';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { Cluster } from './cluster.ts';
import type { PodTimings } from './pod-timings.ts';

let clock: VirtualClock;
let cluster: Cluster;
let timings: PodTimings;
let start: number;
beforeEach(() => {
  clock = new VirtualClock();
  cluster = new Cluster({ clock });
  timings = cluster.podTimings;
  start = clock.now();
});

const waiting = pod({ metadata: { name: 'a' } });
const KEY = 'default/a';
const healthy = { healthyPool: true };
const unhealthy = { healthyPool: false };

test('8.12: only the first time that a pod was seen, and that a pass had an answer for it, counts', async () => {
  timings.saw(waiting);
  await clock.advance(1000);
  timings.saw(waiting);
  await clock.advance(1000);
  expect(timings.failed(waiting)).toBe(2000);
  await clock.advance(1000);
  expect(timings.placed(waiting, unhealthy)).toBeUndefined();
  await clock.advance(1000);
  timings.placed(waiting, unhealthy);
  expect(timings.of(KEY)).toEqual({ seen: start, decided: start + 2000, placed: start + 3000 });
});

test('8.12: a place counts until a later pass finds none, one in a pool whose nodes register for itself', async () => {
  timings.placed(waiting, healthy);
  expect(timings.of(KEY)).toMatchObject({ placed: start, placedInHealthyPool: start });
  await clock.advance(1000);
  timings.placed(waiting, unhealthy);
  expect(timings.of(KEY)).toEqual({ decided: start, placed: start });
  timings.failed(waiting);
  expect(timings.of(KEY)).toEqual({ decided: start });
  timings.placed(waiting, healthy);
  expect(timings.of(KEY)).toMatchObject({ placed: start + 1000, placedInHealthyPool: start + 1000 });
});

test('8.12: the claim that a pod is meant for is known, whether it was there before or is made for it', () => {
  timings.placed(waiting, { healthyPool: false, nodeClaim: 'old' });
  expect(timings.of(KEY).nodeClaim).toBe('old');
  timings.plannedFor(waiting, 'new');
  expect(timings.of(KEY).nodeClaim).toBe('new');
  timings.failed(waiting);
  expect(timings.of(KEY).nodeClaim).toBeUndefined();
});

test('8.12: a bound pod that is tried because its node goes has waited for nothing', () => {
  expect(timings.placed(pod({ metadata: { name: 'a' }, spec: { nodeName: 'n' } }), healthy)).toBeUndefined();
  expect(timings.of(KEY)).toEqual({});
});

test('8.12: all is forgotten with the pod, and nothing is kept of one that is gone already', () => {
  timings.saw(waiting);
  timings.placed(waiting, healthy);
  cluster.deletePod(waiting);
  timings.plannedFor(waiting, 'claim');
  expect([...timings.entries()]).toEqual([]);
});
