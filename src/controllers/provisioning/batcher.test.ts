import { beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { Batcher } from './batcher.ts';

let clock: VirtualClock;
let batcher: Batcher;
let start: number;
beforeEach(() => {
  clock = new VirtualClock();
  batcher = new Batcher({ clock }, { idleMs: 1000, maxMs: 10_000 });
  start = clock.now();
});

/** Milliseconds until the window ends, with triggers at these moments. */
async function windowOf(triggers: readonly (readonly [at: number, id: string])[]): Promise<number> {
  let ended = Number.NaN;
  void batcher.wait(new AbortController().signal).then(() => {
    ended = clock.now() - start;
  });
  for (const [at, id] of triggers) clock.setTimeout(() => batcher.trigger(id), at);
  await clock.runUntil(() => !Number.isNaN(ended), 60_000);
  return ended;
}

test('a window ends when nothing new has come for a while', async () => {
  expect(
    await windowOf([
      [0, 'a'],
      [900, 'b'],
      [1800, 'c'],
    ]),
  ).toBe(2800);
});

test('a trigger that is known already does not make it longer', async () => {
  expect(
    await windowOf([
      [0, 'a'],
      [900, 'a'],
    ]),
  ).toBe(1000);
});

test('a steady stream ends it at the longest time', async () => {
  const stream = Array.from({ length: 40 }, (_, i) => [i * 500, `pod-${i}`] as const);
  expect(await windowOf(stream)).toBe(10_000);
});

test('a trigger that came before anybody waited is not lost', async () => {
  batcher.trigger('a');
  expect(await windowOf([])).toBe(1000);
});

test('without a trigger nothing ends', async () => {
  expect(await windowOf([])).toBeNaN();
});

test('waiting ends with the signal', async () => {
  const stop = new AbortController();
  const waiting = batcher.wait(stop.signal);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});
