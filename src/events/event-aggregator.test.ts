import { describe, expect, test } from 'vitest';
import { Pods } from '../kube/resources.ts';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { EventAggregator, type EventDecision } from './event-aggregator.ts';

function setUp() {
  const clock = new VirtualClock();
  const aggregator = new EventAggregator({ clock });
  const take = (message: string, reason = 'Reason', name = 'pod'): EventDecision =>
    aggregator.take({
      resource: Pods,
      about: { metadata: { name, namespace: 'default', uid: name } },
      event: { type: 'Normal', reason, message },
      component: 'test',
    });
  const write = (message: string, reason?: string): string => {
    const decision = take(message, reason);
    if (decision.action === 'drop') return 'dropped';
    const known = decision.previous !== undefined;
    if (!known) decision.written({ name: message });
    return `${known ? 'again' : 'new'} ${decision.count} ${decision.message}`;
  };
  return { clock, write, take };
}

describe('events', () => {
  test('of the same words are one event with a count', () => {
    const { write } = setUp();
    expect([write('a'), write('a'), write('b'), write('a')]).toEqual(['new 1 a', 'again 2 a', 'new 1 b', 'again 3 a']);
  });

  test('of more than ten different words are combined', () => {
    const { write } = setUp();
    for (let i = 0; i < 10; i++) expect(write(`m${i}`)).toBe(`new 1 m${i}`);
    expect(write('m10')).toBe('new 1 (combined from similar events): m10');
    expect(write('m11')).toBe('again 2 (combined from similar events): m11');
    expect(write('other', 'Other')).toBe('new 1 other');
  });

  test('come apart again after ten quiet minutes', async () => {
    const { clock, write } = setUp();
    for (let i = 0; i < 12; i++) write(`m${i}`);
    await clock.advance(601_000);
    expect(write('later')).toBe('new 1 later');
  });

  test('about one object are dropped when there are too many, and come again with time', async () => {
    const { clock, write, take } = setUp();
    for (let i = 0; i < 25; i++) write('a');
    expect(write('a')).toBe('dropped');
    expect(take('a', 'Reason', 'other').action).toBe('write');
    await clock.advance(300_000);
    expect(write('a')).toBe('again 27 a');
  });
});
