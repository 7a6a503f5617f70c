import { describe, expect, it } from 'vitest';
import { TimerHeap } from './timer-heap.ts';
import { VirtualClock } from './virtual-clock.ts';

describe('VirtualClock', () => {
  it('fires timers in the order they fall due, and those of one instant in the order they were set', async () => {
    const clock = new VirtualClock(0);
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name}@${clock.now()}`);
    clock.setTimeout(note('late'), 30);
    clock.setTimeout(note('first'), 10);
    clock.setTimeout(note('second'), 10);
    clock.setTimeout(note('cancelled'), 5)();
    await clock.advance(20);
    expect(fired).toEqual(['first@10', 'second@10']);
    expect(clock.now()).toBe(20);
    await clock.advance(10);
    expect(fired.at(-1)).toBe('late@30');
  });

  it('lets a chain of sleeps run at its own instants within one advance', async () => {
    const clock = new VirtualClock(0);
    const seen: number[] = [];
    const loop = async (): Promise<void> => {
      for (let i = 0; i < 3; i++) {
        await clock.sleep(7);
        await Promise.resolve();
        seen.push(clock.now());
      }
    };
    const done = loop();
    await clock.advance(100);
    await done;
    expect(seen).toEqual([7, 14, 21]);
  });

  it('rejects a sleep with the reason of the abort, and forgets its timer', async () => {
    const clock = new VirtualClock(0);
    const controller = new AbortController();
    const sleeping = clock.sleep(1000, controller.signal);
    controller.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    expect(clock.nextTimer()).toBeUndefined();
  });

  it('stops at the instant the condition becomes true', async () => {
    const clock = new VirtualClock(0);
    let beats = 0;
    const beat = (): void => {
      beats++;
      clock.setTimeout(beat, 10);
    };
    beat();
    expect(await clock.runUntil(() => beats === 4, 1000)).toBe(true);
    expect(clock.now()).toBe(30);
    expect(await clock.runUntil(() => beats === 400, 1000)).toBe(false);
    expect(clock.now()).toBe(1030);
  });

  it('fires thousands of shuffled timers in order', async () => {
    const clock = new VirtualClock(0);
    const fired: number[] = [];
    for (let i = 0; i < 2000; i++) {
      const ms = (i * 7919) % 1000;
      clock.setTimeout(() => fired.push(ms), ms);
    }
    await clock.runUntilIdle();
    expect(fired).toHaveLength(2000);
    expect(fired).toEqual(fired.toSorted((a, b) => a - b));
  });

  it('does not keep thousands of cancelled timers until they fall due', () => {
    const timers = new TimerHeap();
    const day = { callback: () => {}, cancelled: false, fired: false };
    const kept = { ...day, at: 5, order: 0 };
    timers.push(kept);
    for (let i = 1; i <= 100_000; i++) {
      const timer = { ...day, at: 86_400_000, order: i };
      timers.push(timer);
      timers.cancel(timer);
    }
    expect(timers.size).toBeLessThan(2000);
    expect(timers.pop()).toBe(kept);
    expect(timers.pop()).toBeUndefined();
  });
});
