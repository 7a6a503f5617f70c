import { describe, expect, it, test } from 'vitest';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { WorkQueue } from './work-queue.ts';

function setUp() {
  const clock = new VirtualClock(0);
  return { clock, queue: new WorkQueue({ clock }) };
}

describe('WorkQueue', () => {
  it('hands keys out in order, each once however often it was added', async () => {
    const { queue } = setUp();
    for (const key of ['a', 'b', 'a']) queue.add(key);
    expect([await queue.take(), await queue.take(), queue.length]).toEqual(['a', 'b', 0]);
  });

  it('gives a key to one worker at a time, and again if it was added meanwhile', async () => {
    const { clock, queue } = setUp();
    queue.add('a');
    await queue.take();
    queue.add('a');
    queue.add('a');
    const second = queue.take();
    let taken: string | undefined;
    void second.then((key) => {
      taken = key;
    });
    await clock.settle();
    expect(taken).toBeUndefined();
    queue.done('a');
    expect(await second).toBe('a');
    queue.done('a');
    expect(queue.idle).toBe(true);
  });

  it('doubles the delay with each failure until the key is forgotten', async () => {
    const { clock, queue } = setUp();
    const fail = async (): Promise<number> => {
      const start = clock.now();
      queue.addRateLimited('a');
      await clock.runUntil(() => queue.length === 1, 1e9);
      await queue.take();
      queue.done('a');
      return clock.now() - start;
    };
    expect([await fail(), await fail(), await fail()]).toEqual([5, 10, 20]);
    for (let i = 0; i < 30; i++) await fail();
    expect(await fail()).toBe(1_000_000);
    queue.forget('a');
    expect(await fail()).toBe(5);
  });

  it('keeps the shortest of several delays', async () => {
    const { clock, queue } = setUp();
    queue.addAfter('a', 100);
    queue.addAfter('a', 50);
    queue.addAfter('a', 70);
    await clock.advance(49);
    expect(queue.length).toBe(0);
    await clock.advance(1);
    expect(queue.length).toBe(1);
    await queue.take();
    queue.done('a');
    await clock.advance(1000);
    expect(queue.length).toBe(0);
  });

  it('lets waiting workers go when it shuts down, and takes nothing more', async () => {
    const { clock, queue } = setUp();
    const waiting = queue.take();
    queue.addAfter('a', 10);
    queue.shutDown();
    queue.add('b');
    await clock.advance(20);
    expect([await waiting, await queue.take()]).toEqual([undefined, undefined]);
  });
});

test('9.10: a bucket holds back the retries of all keys together', async () => {
  const clock = new VirtualClock(0);
  const queue = new WorkQueue({ clock }, { base: 1, max: 10, bucket: { qps: 2, burst: 3 } });
  const came: number[] = [];
  const worker = async (): Promise<void> => {
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) came.push(clock.now());
  };
  void worker();
  for (const key of ['a', 'b', 'c', 'd', 'e']) queue.addRateLimited(key);
  await clock.advance(5000);
  expect(came).toEqual([1, 1, 1, 500, 1000]);
});
