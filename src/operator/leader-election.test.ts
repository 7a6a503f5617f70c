import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiServer } from '../apiserver/index.ts';
import { Leases } from '../kube/resources.ts';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { LeaderElection } from './leader-election.ts';
import { SeededRandom } from './random.ts';

const lease = { name: 'lock', namespace: 'kube-system' };
let clock: VirtualClock;
let api: ApiServer;
beforeEach(async () => {
  clock = new VirtualClock();
  api = await ApiServer.open({ clock, random: new SeededRandom(1) });
});
afterEach(async () => await api.stop());

/** A candidate that notes when it leads and when it stops doing so. */
function candidate(identity: string) {
  const election = new LeaderElection({ client: api.client(identity), clock, lease, identity });
  const stop = new AbortController();
  const state = { leads: false, kill: () => {}, stop: () => stop.abort() };
  void election
    .acquire(stop.signal)
    .then(async () => {
      state.leads = true;
      const killed = new Promise<void>((resolve) => {
        state.kill = resolve;
      });
      await Promise.race([election.hold(stop.signal), killed]);
    })
    .catch(() => undefined)
    .finally(() => {
      state.leads = false;
    });
  return state;
}

test('one leads, and a second takes over as soon as the first gives up', async () => {
  const first = candidate('a');
  await clock.advance(1000);
  const second = candidate('b');
  await clock.advance(60_000);
  expect([first.leads, second.leads]).toEqual([true, false]);
  first.stop();
  await clock.advance(5000);
  expect([first.leads, second.leads]).toEqual([false, true]);
  const { spec } = await api.client().get(Leases, lease);
  expect(spec).toMatchObject({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 1 });
});
