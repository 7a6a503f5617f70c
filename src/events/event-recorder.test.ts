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
const told = async () => {
  await clock.settle();
  return (await api.client().list(Events)).items;
};

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
  test('is told once in its time, whatever the message', async () => {
    const again = about({ dedupe: ['u'], message: 'really soon' });
    recorder.publish(about({ dedupe: ['u'] }), again, about({ dedupe: ['other'] }));
    expect(await told()).toHaveLength(2);
    await clock.advance(120_000);
    recorder.publish(again);
    expect(await told()).toHaveLength(3);
  });

  test('without anything to tell it by is told every time', async () => {
    recorder.publish(about(), about());
    expect(await told()).toHaveLength(2);
  });
});

test('events of a reason beyond its limit are dropped, and come again once there is room', async () => {
  const limit = { perSecond: 5, burst: 10 };
  const some = (first: number) => Array.from({ length: 20 }, (_, i) => about({ limit, dedupe: [String(first + i)] }));
  recorder.publish(...some(0));
  expect(await told()).toHaveLength(10);
  await clock.advance(1000);
  recorder.publish(...some(100));
  expect(await told()).toHaveLength(15);
});

test('what the API refuses is reported, and the rest still told', async () => {
  recorder.publish(about({ object: pod({ metadata: { namespace: 'nowhere' } }) }), about());
  expect((await told()).map((event) => event.involvedObject.name)).toEqual(['p']);
  expect(errors).toHaveLength(1);
});
