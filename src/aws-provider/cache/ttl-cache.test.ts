import { beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { TtlCache } from './ttl-cache.ts';

let clock: VirtualClock;
let evicted: string[];
let cache: TtlCache<string>;
beforeEach(() => {
  clock = new VirtualClock();
  evicted = [];
  const onEvicted = (key: string, value: string) => void evicted.push(`${key}=${value}`);
  cache = new TtlCache(clock, { ttlMs: 1000, sweepMs: 400, onEvicted });
});

const seen = () => [cache.get('a'), cache.has('a'), cache.until('a'), [...cache.entries()]];

test('a value is there until its time, and at its time no longer', async () => {
  const until = clock.now() + 1000;
  cache.set('a', 'x');
  await clock.advance(999);
  expect(seen()).toEqual(['x', true, until, [['a', 'x']]]);
  await clock.advance(1);
  expect(seen()).toEqual([undefined, false, undefined, []]);
});

test('what has expired or is deleted is told once, by the next sweep; what is forgotten is not told', async () => {
  for (const key of ['a', 'b', 'c', 'd']) cache.set(key, 'x');
  cache.set('e', 'y', 2000);
  cache.delete('b');
  cache.delete('b');
  cache.forget('c');
  expect([evicted, cache.has('c')]).toEqual([['b=x'], false]);
  await clock.advance(1199);
  expect(evicted).toEqual(['b=x']);
  await clock.advance(1);
  expect(evicted).toEqual(['b=x', 'a=x', 'd=x']);
  await clock.advance(800);
  expect(evicted).toEqual(['b=x', 'a=x', 'd=x', 'e=y']);
  cache.set('a', 'z');
  cache.flush();
  expect(cache.has('a')).toBe(false);
  await clock.advance(2000);
  expect(evicted).toHaveLength(4);
});

test('however much is cached, one timer runs at a time, and none when all has expired', async () => {
  let timers = 0;
  const counting = {
    now: () => clock.now(),
    setTimeout: (work: () => void, ms: number) => {
      timers++;
      return clock.setTimeout(work, ms);
    },
  };
  const counted = new TtlCache<number>(counting as unknown as VirtualClock, { ttlMs: 1000, sweepMs: 400 });
  for (let key = 0; key < 5; key++) counted.set(String(key), key);
  await clock.advance(1200);
  expect(timers).toBe(3);
  await clock.advance(5000);
  expect(timers).toBe(3);
});
