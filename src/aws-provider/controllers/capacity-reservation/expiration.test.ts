import type { CapacityReservation } from '@aws-sdk/client-ec2';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied } from '../../../../test/expectations/index.ts';
import { nodeClaim } from '../../../../test/factories/index.ts';
import { alteredClient } from '../../../../test/support/altered-client.ts';
import { runAlone } from '../../../../test/support/run-alone.ts';
import type { Client } from '../../../kube/client.ts';
import { ApiError } from '../../../kube/errors.ts';
import { NodeClaims } from '../../../kube/resources.ts';
import { SILENT } from '../../../logging/logger.ts';
import type { CapacityReservationProvider } from '../../providers/contracts.ts';
import { CapacityReservationExpiration } from './expiration.ts';

const MINUTE = 60_000;
const OTHER_CLASS = { group: 'example.com', kind: 'OtherNodeClass', name: 'x' };

let env: TestEnvironment;
let reservations: readonly CapacityReservation[];
let asked: string[][];
let stop: () => void;
beforeEach(async () => {
  env = await TestEnvironment.open();
  asked = [];
  stop = () => {};
});
afterEach(async () => {
  stop();
  await env.close();
});

function start(client?: Client) {
  const list: CapacityReservationProvider['list'] = async (terms) => {
    asked.push(terms.map(({ id = '' }) => id));
    return reservations;
  };
  const deps = { cloud: env.kwok(), clock: env.clock, log: SILENT, capacityReservations: { list } };
  const running = runAlone(env, (parts) => new CapacityReservationExpiration({ ...parts, ...deps }), client);
  stop = running.stop;
  return running;
}

const ending = (minutes: number, changes: Partial<CapacityReservation> = {}): CapacityReservation => ({
  CapacityReservationId: 'cr-1',
  ReservationType: 'capacity-block',
  InstanceMatchCriteria: 'targeted',
  EndDate: new Date(env.clock.now() + minutes * MINUTE),
  ...changes,
});

const claim = (name: string, reservation?: string) =>
  nodeClaim({
    metadata: { name, labels: reservation ? { 'karpenter.k8s.aws/capacity-reservation-id': reservation } : {} },
  });
const claimNames = async () => (await env.client.list(NodeClaims)).items.map(({ metadata }) => metadata.name).sort();

test('claims of a capacity block go 40 minutes before its end; it is looked for every minute', async () => {
  reservations = [ending(42)];
  await applied(env, NodeClaims, claim('a', 'cr-1'), claim('b', 'cr-1'), claim('c', 'cr-2'), claim('d'));
  start();
  await env.clock.advance(2 * MINUTE - 1);
  expect(await claimNames()).toEqual(['a', 'b', 'c', 'd']);
  await env.clock.advance(2);
  expect(await claimNames()).toEqual(['c', 'd']);
  expect(asked).toEqual([
    ['cr-1', 'cr-2'],
    ['cr-1', 'cr-2'],
    ['cr-1', 'cr-2'],
  ]);
});

test.each([
  ['no block', { ReservationType: 'default' }],
  ['of a kind that is not known', { ReservationType: 'future' as never }],
  ['of match criteria that are not known', { InstanceMatchCriteria: 'nobody' as never }],
] as const)('claims of a reservation stay that is %s', async (_what, changes) => {
  reservations = [ending(1, changes)];
  await applied(env, NodeClaims, claim('a', 'cr-1'));
  const { reconciled } = start();
  await env.clock.advance(1000);
  expect(await claimNames()).toEqual(['a']);
  expect(reconciled.map(({ result }) => result)).toEqual(['requeue_after']);
});

test('claims of others are left alone, and those that are being deleted are not deleted again', async () => {
  reservations = [ending(1)];
  const going = claim('going', 'cr-1');
  await applied(
    env,
    NodeClaims,
    { ...claim('foreign', 'cr-1'), spec: { ...going.spec, nodeClassRef: OTHER_CLASS } },
    { ...going, metadata: { ...going.metadata, finalizers: ['example.com/wait'] } },
  );
  await env.client.delete(NodeClaims, { name: 'going' });
  start();
  await env.clock.advance(1000);
  expect(await claimNames()).toEqual(['foreign', 'going']);
  expect(asked).toEqual([[]]);
});

test('a claim that can not be deleted keeps no other, and is tried again', async () => {
  reservations = [ending(1)];
  await applied(env, NodeClaims, claim('a', 'cr-1'), claim('b', 'cr-1'));
  let refusals = 1;
  const base = env.api.client('karpenter');
  const client = alteredClient(base, {
    delete: async (resource, ref, ...rest) => {
      if (ref.name === 'a' && refusals-- > 0)
        throw new ApiError({ code: 403, reason: 'Forbidden', message: 'not you' });
      return await base.delete(resource, ref, ...rest);
    },
  });
  const { reconciled } = start(client);
  await env.clock.advance(1000);
  expect(await claimNames()).toEqual([]);
  expect(reconciled.map(({ result }) => result)).toEqual(['error', 'requeue_after']);
  expect(reconciled[0]?.error).toMatchObject({ message: 'deleting nodeclaims, not you' });
});
