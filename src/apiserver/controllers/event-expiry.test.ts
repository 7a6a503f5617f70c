import { afterEach, beforeEach, expect, test } from 'vitest';
import { Events } from '../../kube/resources.ts';
import { SeededRandom } from '../../operator/random.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { ApiServer } from '../index.ts';

const MINUTE = 60_000;

let clock: VirtualClock;
let api: ApiServer;
beforeEach(async () => {
  clock = new VirtualClock();
  api = await ApiServer.open({ clock, random: new SeededRandom(1) });
});
afterEach(() => api.stop());

async function tell(name: string): Promise<void> {
  const involvedObject = { apiVersion: 'v1', kind: 'Pod', name: 'a', namespace: 'default' };
  const metadata = { name, namespace: 'default' };
  await api.client().create(Events, { apiVersion: 'v1', kind: 'Event', metadata, involvedObject, reason: 'Tested' });
}

const left = async (): Promise<string[]> =>
  (await api.client().list(Events)).items.map(({ metadata }) => metadata.name).sort();

test('events go an hour after they were last written', async () => {
  await tell('early');
  await tell('repeated');
  await clock.advance(30 * MINUTE);
  await tell('late');
  const again = { type: 'merge', body: { count: 2 } } as const;
  await api.client().patch(Events, { name: 'repeated', namespace: 'default' }, again);
  await clock.advance(29 * MINUTE);
  expect(await left()).toEqual(['early', 'late', 'repeated']);
  await clock.advance(2 * MINUTE);
  expect(await left()).toEqual(['late', 'repeated']);
  await clock.advance(30 * MINUTE);
  expect(await left()).toEqual([]);
});
