import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pod } from '../../test/factories/index.ts';
import { ApiServer } from '../apiserver/index.ts';
import { Events, Pods } from '../kube/resources.ts';
import { SeededRandom } from '../operator/random.ts';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { EventRecorder } from './event-recorder.ts';
import type { Event } from './recorder.ts';

let clock: VirtualClock;
let api: ApiServer;
let recorder: EventRecorder;
let errors: unknown[];
beforeEach(async () => {
  clock = new VirtualClock();
  errors = [];
  const random = new SeededRandom(1);
  api = await ApiServer.open({ clock, random });
  recorder = new EventRecorder({
    client: api.client('karpenter'),
    clock,
    random,
    onError: (error) => errors.push(error),
  });
});
afterEach(async () => await api.stop());

const about = (changes: Partial<Event> = {}): Event => ({
  resource: Pods,
  object: pod({ metadata: { name: 'p', uid: 'u' } }),
  type: 'Normal',
  reason: 'Nominated',
  message: 'soon',
  ...changes,
});
const written = async () => {
  await clock.settle();
  return (await api.client().list(Events)).items;
};
/** How often something was told; what is told again in the same words is counted on the object that is there. */
const told = async () => (await written()).flatMap((event) => Array.from({ length: event.count ?? 1 }, () => event));

test('an event names its object, its reason and who says so', async () => {
  recorder.publish(about());
  const [event] = await told();
  expect(event).toMatchObject({
    metadata: { namespace: 'default' },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'p', uid: 'u' },
    type: 'Normal',
    reason: 'Nominated',
    message: 'soon',
    source: { component: 'karpenter' },
  });
  expect(errors).toEqual([]);
});

describe('the same news', () => {
  test('12.1: is told once in its time, whatever the message', async () => {
    const again = about({ dedupe: ['u'], message: 'really soon' });
    recorder.publish(about({ dedupe: ['u'] }), again, about({ dedupe: ['other'] }));
    expect(await told()).toHaveLength(2);
    await clock.advance(120_000);
    recorder.publish(again);
    expect(await told()).toHaveLength(3);
  });

  test('12.1: without anything to tell it by is told every time', async () => {
    recorder.publish(about(), about());
    expect(await told()).toHaveLength(2);
  });
});

test('12.1: what is told again in the same words is counted on the event that is there', async () => {
  recorder.publish(about({ dedupe: ['u'] }));
  await clock.advance(300_000);
  recorder.publish(about({ dedupe: ['u'] }), about({ dedupe: ['v'], message: 'later' }));
  const events = await written();
  expect(events.map(({ message, count }) => [message, count])).toEqual([
    ['soon', 2],
    ['later', 1],
  ]);
  expect(events[0]?.lastTimestamp).toBe(events[1]?.lastTimestamp);
  expect(events[0]?.firstTimestamp).not.toBe(events[0]?.lastTimestamp);
});

test('12.1: events of a reason beyond its limit are dropped, and come again once there is room', async () => {
  const limit = { perSecond: 5, burst: 10 };
  const some = (first: number) => Array.from({ length: 20 }, (_, i) => about({ limit, dedupe: [String(first + i)] }));
  recorder.publish(...some(0));
  expect(await told()).toHaveLength(10);
  await clock.advance(1000);
  recorder.publish(...some(100));
  expect(await told()).toHaveLength(15);
});

test('12.1: an event that its limit drops stays away for as long as if it had been told', async () => {
  const limit = { perSecond: 1, burst: 1 };
  recorder.publish(about({ limit, dedupe: ['a'] }), about({ limit, dedupe: ['b'] }));
  await clock.advance(60_000);
  recorder.publish(about({ limit, dedupe: ['b'] }));
  expect(await told()).toHaveLength(1);
  await clock.advance(61_000);
  recorder.publish(about({ limit, dedupe: ['b'] }));
  expect(await told()).toHaveLength(2);
});

test('12.1: the key is the reason in small letters and the values: objects of any kind, and values run together, are one', async () => {
  recorder.publish(about({ dedupe: ['x', 'y'] }));
  recorder.publish(about({ reason: 'NOMINATED', dedupe: ['x-y'], object: pod({ metadata: { name: 'other' } }) }));
  expect(await told()).toHaveLength(1);
});

test('12.1: an event may be kept from being told again for longer, or shorter, than two minutes', async () => {
  const hourly = about({ dedupe: ['long'], dedupeMs: 3_600_000 });
  const often = about({ dedupe: ['short'], dedupeMs: 1000 });
  recorder.publish(hourly, often);
  await clock.advance(1001);
  recorder.publish(hourly, often);
  expect(await told()).toHaveLength(3);
  await clock.advance(120_000);
  recorder.publish(hourly);
  expect(await told()).toHaveLength(3);
});

test('what the API refuses is reported, and the rest still told', async () => {
  recorder.publish(about({ object: pod({ metadata: { namespace: 'nowhere' } }) }), about());
  expect((await told()).map((event) => event.involvedObject.name)).toEqual(['p']);
  expect(errors).toHaveLength(1);
});
