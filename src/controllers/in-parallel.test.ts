import { expect, test } from 'vitest';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { inParallel } from './in-parallel.ts';

test('no more than the limit are worked on at the same time, and all get their turn', async () => {
  const clock = new VirtualClock();
  let inside = 0;
  let most = 0;
  const done: number[] = [];
  const all = inParallel(20, [...Array(45).keys()], async (item) => {
    most = Math.max(most, ++inside);
    await clock.sleep(1000);
    inside--;
    done.push(item);
  });
  await clock.advance(3000);
  await all;
  expect([most, done.length]).toEqual([20, 45]);
});

test('failures are told together, when everything has been tried', async () => {
  const tried: number[] = [];
  const work = inParallel(2, [1, 2, 3, 4], async (item) => {
    tried.push(item);
    if (item % 2 === 0) throw new Error(`no ${item}`);
  });
  await expect(work).rejects.toThrow('no 2; no 4');
  expect(tried).toEqual([1, 2, 3, 4]);
});
