import { expect, it } from 'vitest';
import type { Clock } from '../../kube/clock.ts';
import { inSlices } from './in-slices.ts';

/** A clock that work moves, and what happened. */
function timed() {
  let now = 0;
  const log: (number | 'others')[] = [];
  const clock: Clock = {
    now: () => now,
    sleep: async (_, signal) => {
      signal?.throwIfAborted();
      log.push('others');
    },
    setTimeout: () => () => {},
  };
  const work = (ms: number): void => {
    now += ms;
    log.push(ms);
  };
  return { clock, log, work };
}

it('lets other work go first whenever long work has had a slice of time', async () => {
  const { clock, log, work } = timed();
  function* scan() {
    for (const ms of [20, 20, 20, 200, 20]) {
      work(ms);
      yield;
    }
    return 'done';
  }
  expect(await inSlices(scan(), clock, new AbortController().signal)).toBe('done');
  expect(log).toEqual([20, 20, 20, 'others', 200, 'others', 20]);
});

it('stops long work when its signal aborts', async () => {
  const { clock, log, work } = timed();
  const controller = new AbortController();
  function* scan() {
    for (;;) {
      work(100);
      if (log.length > 3) controller.abort(new Error('leader no more'));
      yield;
    }
  }
  await expect(inSlices(scan(), clock, controller.signal)).rejects.toThrow('leader no more');
});
