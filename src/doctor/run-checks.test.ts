import { expect, test } from 'vitest';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { pass } from './finding.ts';
import { type Check, runChecks } from './run-checks.ts';

const check = (name: string, run: Check['run']): Check => ({ area: 'A', name, run });
const quick = check('quick', async () => [pass('quick', 'here')]);
const deaf = check('deaf', () => new Promise(() => {}));

test('a check that throws or does not answer in time is a finding, and keeps no other waiting', async () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const broken = check('broken', () => Promise.reject(new Error('no such host')));
  const progress: (readonly string[])[] = [];
  const done = runChecks([deaf, broken, quick], {
    clock,
    timeoutMs: 5000,
    signal,
    onProgress: (n) => progress.push(n),
  });
  await clock.settle();
  expect(progress.at(-1)).toEqual(['deaf']);
  await clock.advance(5000);
  expect((await done).map(({ area, check, verdict, message }) => [area, check, verdict, message])).toEqual([
    ['A', 'deaf', 'fail', 'no answer within 5s'],
    ['A', 'broken', 'fail', 'no such host'],
    ['A', 'quick', 'pass', 'here'],
  ]);
});

test('whoever interrupts gets no findings', async () => {
  const stop = new AbortController();
  const done = runChecks([deaf], { clock: new VirtualClock(), timeoutMs: 5000, signal: stop.signal });
  stop.abort(new Error('interrupted'));
  await expect(done).rejects.toThrow('interrupted');
});
