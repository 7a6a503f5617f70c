import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiServer } from '../apiserver/index.ts';
import type { Client } from '../kube/client.ts';
import { ApiError, ConnectionError } from '../kube/errors.ts';
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
function candidate(identity: string, client = api.client(identity)) {
  const told: string[] = [];
  const onError = (message: string): void => void told.push(message);
  const election = new LeaderElection({ client, clock, lease, identity, onError });
  const stop = new AbortController();
  const state = { leads: false, told, kill: () => {}, stop: () => stop.abort() };
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

test('10.1: one leads, and a second takes over as soon as the first gives up', async () => {
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

/** The API, until it is told to answer no more: what is asked then waits for as long as its signal lets it. */
function falteringClient(base: Client): { readonly client: Client; silent: boolean } {
  const get: Client['get'] = async (resource, ref, signal) => {
    if (state.silent) await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    return await base.get(resource, ref, signal);
  };
  const client = new Proxy(base, {
    get: (target, key: keyof Client) => (key === 'get' ? get : target[key].bind(target)),
  });
  const state = { client, silent: false };
  return state;
}

test('10.1: one that gets no answers stops leading before another may begin', async () => {
  const faltering = falteringClient(api.client('a'));
  const first = candidate('a', faltering.client);
  await clock.advance(1000);
  const second = candidate('b');
  await clock.advance(60_000);
  faltering.silent = true;
  const lost = clock.now();
  await clock.runUntil(() => second.leads || !first.leads, 60_000);
  expect([first.leads, second.leads]).toEqual([false, false]);
  expect(clock.now() - lost).toBeLessThanOrEqual(10_000);
  expect(first.told).toEqual(['Failed to renew lease']);
  await clock.runUntil(() => second.leads, 10_000);
  expect(second.leads).toBe(true);
});

test('10.1: one that waits does not wait for an answer for ever', async () => {
  const faltering = falteringClient(api.client('a'));
  faltering.silent = true;
  const waiting = candidate('a', faltering.client);
  await clock.advance(1000);
  faltering.silent = false;
  await clock.advance(15_000);
  expect(waiting.leads).toBe(true);
});

test('10.1: a leader that gives up leaves a lease of one second that nobody holds', async () => {
  const first = candidate('a');
  await clock.advance(5000);
  first.stop();
  await clock.advance(0);
  const { spec } = await api.client().get(Leases, lease);
  expect(spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
});

test.each<[string, Partial<Record<keyof Client, Error>>, string]>([
  ['read', { get: new ConnectionError('connect ECONNREFUSED') }, 'Error retrieving lease lock: connect ECONNREFUSED'],
  [
    'written',
    { create: new ApiError({ code: 403, message: 'leases is forbidden' }) },
    'Error initially creating lease lock: leases is forbidden',
  ],
])(
  '10.1: a candidate that waits because the lease can not be %s says so at each attempt',
  async (_, failures, line) => {
    const base = api.client('a');
    const client = new Proxy(base, {
      get: (target, key: keyof Client) =>
        key in failures ? () => Promise.reject(failures[key]) : target[key].bind(target),
    });
    const told: string[] = [];
    const onError = (message: string, error: unknown): void =>
      void told.push(`${message}: ${(error as Error).message}`);
    const stop = new AbortController();
    const acquired = new LeaderElection({ client, clock, lease, identity: 'a', onError }).acquire(stop.signal);
    acquired.catch(() => undefined);
    await clock.advance(3000);
    stop.abort();
    await clock.settle();
    expect(told).toEqual([line, line]);
  },
);
