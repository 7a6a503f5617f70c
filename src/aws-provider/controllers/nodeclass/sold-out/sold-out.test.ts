import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runControllers } from '../../../../../test/aws/run-controllers.ts';
import { TestEnvironment } from '../../../../../test/environment.ts';
import { ec2NodeClass } from '../../../../../test/factories/ec2-node-class.ts';
import { alteredClient } from '../../../../../test/support/altered-client.ts';
import { parseSoldOut, soldOutText } from '../../../../cloudprovider/sold-out.ts';
import { Objects } from '../../../../controllers/objects.ts';
import type { Client } from '../../../../kube/client.ts';
import { ApiError } from '../../../../kube/errors.ts';
import { SILENT } from '../../../../logging/logger.ts';
import { awsDefinitions } from '../../../apis/crd/index.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../../apis/ec2-node-class.ts';
import { UnavailableOfferingsCache } from '../../../cache/unavailable-offerings.ts';
import type { PlacementGroup } from '../../../providers/contracts.ts';
import { entriesOfClass } from './class-entries.ts';
import { NodeClassSoldOut } from './controller.ts';
import { restoreSoldOut } from './restore.ts';

const SOLD_OUT = 'karpenter.k8s.aws/sold-out';
const MINUTE = 60_000;
const ICE = { reason: 'InsufficientInstanceCapacity' };
const GROUP: PlacementGroup = { id: 'pg-1', name: 'racks', strategy: 'cluster', partitionCount: 0 };

let env: TestEnvironment;
let soldOut: UnavailableOfferingsCache;
let stop: () => Promise<void>;
let errors: readonly unknown[];
let lines: readonly string[];
let group: PlacementGroup | undefined;
let groupFails: boolean;

beforeAll(async () => {
  env = await TestEnvironment.open(1, awsDefinitions());
});
afterAll(async () => await env.close());
beforeEach(() => {
  group = GROUP;
  groupFails = false;
  soldOut = newCache();
});
afterEach(async () => {
  await stop?.();
  for (const { metadata } of (await env.client.list(Ec2NodeClasses)).items) {
    await env.client.delete(Ec2NodeClasses, { name: metadata.name });
  }
});

const newCache = () => new UnavailableOfferingsCache({ clock: env.clock, log: SILENT });
const placementGroups = {
  get: async ({ spec }: EC2NodeClass) => {
    if (groupFails) throw new Error('throttled');
    return spec.placementGroupSelector && group;
  },
  known: ({ spec }: EC2NodeClass) => (groupFails ? undefined : spec.placementGroupSelector && group),
};

function start(client?: Client): void {
  const run = runControllers(
    env,
    {},
    (context) => {
      const nodeClasses = new Objects(context, Ec2NodeClasses);
      return [new NodeClassSoldOut({ ...context, nodeClasses, placementGroups, unavailableOfferings: soldOut })];
    },
    client,
  );
  ({ stop, errors, lines } = run);
}

const SUBNETS = [
  { id: 'subnet-a1', zone: 'us-west-2a', zoneID: 'usw2-az1' },
  { id: 'subnet-a2', zone: 'us-west-2a', zoneID: 'usw2-az1' },
  { id: 'subnet-b1', zone: 'us-west-2b', zoneID: 'usw2-az2' },
];

async function nodeClass(name: string, subnets = SUBNETS, spec: object = {}): Promise<void> {
  await env.client.create(Ec2NodeClasses, ec2NodeClass({ metadata: { name }, spec }));
  const body = { status: { subnets } };
  await env.client.patch(Ec2NodeClasses, { name }, { type: 'merge', body }, { subresource: 'status' });
}

const CLASS = { status: { subnets: SUBNETS } } as unknown as EC2NodeClass;

const annotationOf = async (name = 'default') =>
  (await env.client.get(Ec2NodeClasses, { name })).metadata.annotations?.[SOLD_OUT];
/** Entries with the seconds that they last from now on. */
const told = async (name?: string) =>
  parseSoldOut(await annotationOf(name)).map(
    ({ type, zone, capacityType, until = Number.NaN }) =>
      `${type}/${zone}/${capacityType} ${(until - env.clock.now()) / 1000}`,
  );
const annotate = async (text: string | null, name = 'default') => {
  const body = { metadata: { annotations: { [SOLD_OUT]: text } } };
  await env.client.patch(Ec2NodeClasses, { name }, { type: 'merge', body });
};

/** A client whose patches go through `around`. */
function patching(around: (patch: () => Promise<never>) => Promise<never>): Client {
  const base = env.api.client('karpenter');
  return alteredClient(base, { patch: (...args) => around(() => base.patch(...args) as Promise<never>) });
}

const refusal = (code: number, reason: string) => new ApiError({ code, reason, message: reason });

describe('20: what EC2 refused to sell', () => {
  test('is told on each class in terms of its own zones, and taken away when all has ended', async () => {
    await nodeClass('default');
    await nodeClass('other', [{ id: 'subnet-a1', zone: 'us-west-2a', zoneID: 'usw2-az1' }]);
    start();
    await env.clock.settle();
    soldOut.markUnavailable('m5.large', 'us-west-2b', 'spot', ICE);
    soldOut.markSubnetUnavailable('subnet-a1');
    await env.clock.advance(MINUTE);
    expect(await told()).toEqual(['m5.large/us-west-2b/spot 120']);
    expect(await told('other')).toEqual([
      '*/us-west-2a/on-demand 120',
      '*/us-west-2a/spot 120',
      'm5.large/us-west-2b/spot 120',
    ]);
    soldOut.markSubnetUnavailable('subnet-a2');
    soldOut.markCapacityTypeUnavailable('spot');
    await env.clock.advance(1000);
    expect(await told()).toEqual([
      '*/*/spot 179',
      '*/us-west-2a/on-demand 119',
      '*/us-west-2a/spot 119',
      'm5.large/us-west-2b/spot 119',
    ]);
    await env.clock.advance(179_000);
    expect(await annotationOf()).toBeUndefined();
    expect(await annotationOf('other')).toBeUndefined();
  });

  test('is written once in five seconds at most, and only when something is new', async () => {
    await nodeClass('default');
    let writes = 0;
    start(
      patching((patch) => {
        writes++;
        return patch();
      }),
    );
    await env.clock.settle();
    for (let second = 0; second < 10; second++) {
      soldOut.markUnavailable(`m5.${second}xlarge`, 'us-west-2b', 'spot', ICE);
      await env.clock.advance(1000);
    }
    // At once, after five seconds and after ten.
    expect(writes).toBe(3);
    await env.clock.advance(MINUTE);
    expect(writes).toBe(3);
    expect(await told()).toHaveLength(10);
    await env.clock.advance(2 * MINUTE);
    expect(writes).toBe(4);
  });

  test('is told again when somebody changes or removes it, and on a class that comes later', async () => {
    await nodeClass('default');
    start();
    soldOut.markUnavailable('m5.large', 'us-west-2b', 'spot', ICE);
    await env.clock.advance(10_000);
    await annotate(null);
    await env.clock.advance(1000);
    expect(await told()).toEqual(['m5.large/us-west-2b/spot 169']);
    await annotate(`${await annotationOf()},*/*/on-demand`);
    await nodeClass('late');
    await env.clock.advance(5000);
    expect(await told()).toEqual(['m5.large/us-west-2b/spot 164']);
    expect(await told('late')).toEqual(await told());
  });

  test.each([
    ['a conflict', refusal(409, 'Conflict'), 0, 0],
    ['a missing right', refusal(403, 'Forbidden'), 0, 1],
    ['an API that fails', refusal(500, 'InternalError'), 1, 0],
  ])('%s costs nothing but that it is told later', async (_what, error, rejections, logged) => {
    await nodeClass('default');
    let failures = 1;
    start(patching((patch) => (failures-- > 0 ? Promise.reject(error) : patch())));
    await env.clock.settle();
    soldOut.markUnavailable('m5.large', 'us-west-2b', 'spot', ICE);
    await env.clock.settle();
    expect(await told()).toEqual([]);
    await env.clock.advance(5000);
    soldOut.markUnavailable('m5.large', 'us-west-2a', 'spot', ICE);
    await env.clock.advance(5000);
    expect(await told()).toHaveLength(2);
    expect([errors.length, lines.length]).toEqual([rejections, logged]);
  });

  test('within a placement group is told on the classes of that group, but not of one partition', async () => {
    await nodeClass('default');
    await nodeClass('grouped', SUBNETS, { placementGroupSelector: { name: 'racks' } });
    start();
    soldOut.markUnavailable('m5.large', 'us-west-2a', 'spot', ICE, { placementGroupID: 'pg-1' });
    soldOut.markUnavailable('m5.large', 'us-west-2b', 'spot', ICE, { placementGroupID: 'pg-2' });
    const partition = { placementGroupID: 'pg-1', placementGroupPartition: '1' };
    soldOut.markUnavailable('c5.large', 'us-west-2a', 'spot', ICE, partition);
    await env.clock.advance(1000);
    expect(await told()).toEqual([]);
    expect(await told('grouped')).toEqual(['m5.large/us-west-2a/spot 179']);
  });

  test('is not told on a class that is on its way out', async () => {
    await nodeClass('default');
    await env.client.patch(
      Ec2NodeClasses,
      { name: 'default' },
      { type: 'merge', body: { metadata: { finalizers: ['example.com/wait'] } } },
    );
    await env.client.delete(Ec2NodeClasses, { name: 'default' });
    start();
    soldOut.markUnavailable('m5.large', 'us-west-2b', 'spot', ICE);
    await env.clock.advance(1000);
    const told = await annotationOf();
    await env.client.patch(
      Ec2NodeClasses,
      { name: 'default' },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    );
    expect(told).toBeUndefined();
  });

  test('is cut where there is very much of it: what closes most and lasts longest stays', async () => {
    const now = env.clock.now();
    const marks = Array.from({ length: 900 }, (_, index) => ({
      ...{ instanceType: `m${index}.24xlarge-metal`, zone: 'us-west-2-lax-1a', capacityType: 'on-demand' },
      until: now + 1 + index,
    }));
    const wide = [
      { subnetID: 'subnet-b1', until: now + 2 },
      { capacityType: 'spot', until: now + 1 },
    ];
    const entries = entriesOfClass([...marks, ...wide], CLASS, undefined);
    expect(entries).toHaveLength(500);
    expect(entries.slice(0, 3).map(({ type, zone, capacityType }) => `${type}/${zone}/${capacityType}`)).toEqual([
      '*/*/spot',
      '*/us-west-2b/on-demand',
      '*/us-west-2b/spot',
    ]);
    expect(Math.min(...entries.slice(3).map(({ until = 0 }) => until))).toBe(now + 404);
    expect(soldOutText(entries).length).toBeLessThan(64_000);
  });
});

describe('a process that takes over', () => {
  const restored = async (client: Partial<Client> = {}) => {
    const cache = newCache();
    const logged: string[] = [];
    const log = { ...SILENT, error: (message: string) => void logged.push(message) };
    const deps = { clock: env.clock, log, placementGroups, unavailableOfferings: cache };
    await restoreSoldOut({ ...deps, client: alteredClient(env.client, client) }, new AbortController().signal);
    return { cache, logged };
  };

  test('knows what the last one was refused, for as long as that one would have', async () => {
    await nodeClass('default');
    start();
    soldOut.markUnavailable('m5.large', 'us-west-2b', 'spot', ICE);
    await env.clock.advance(MINUTE);
    for (const { id } of SUBNETS) soldOut.markSubnetUnavailable(id);
    await env.clock.advance(10_000);
    const { cache } = await restored();
    const ends = (subnetIDs: readonly string[], capacityType: string) =>
      cache.unavailableUntil('m5.large', 'us-west-2b', subnetIDs, capacityType);
    expect(ends([], 'spot')).toBe(env.clock.now() + 110_000);
    expect(ends([], 'on-demand')).toBeUndefined();
    expect(ends(['subnet-b1'], 'on-demand')).toBe(env.clock.now() + 170_000);
    expect(ends(['subnet-a1', 'subnet-a2', 'subnet-b1'], 'on-demand')).toBe(env.clock.now() + 170_000);
    expect(ends(['subnet-9'], 'on-demand')).toBeUndefined();
    await env.clock.advance(110_000);
    expect(ends([], 'spot')).toBeUndefined();
  });

  test('knows which zone it was that had no addresses', async () => {
    await nodeClass('default');
    start();
    for (const { id, zone } of SUBNETS) if (zone === 'us-west-2a') soldOut.markSubnetUnavailable(id);
    await env.clock.advance(1000);
    const { cache } = await restored();
    const isClosed = (zone: string, ...subnets: string[]) =>
      cache.isUnavailable('m5.large', zone, subnets, 'on-demand');
    expect([isClosed('us-west-2a', 'subnet-a1', 'subnet-a2'), isClosed('us-west-2b', 'subnet-b1')]).toEqual([
      true,
      false,
    ]);
  });

  test('passes over what has ended, has no end or is no offering, and believes nothing beyond three minutes', async () => {
    await nodeClass('default');
    const at = (ms: number) => new Date(env.clock.now() + ms).toISOString();
    await annotate(
      [
        `ended.large/us-west-2a/spot@${at(-1)}`,
        'endless.large/us-west-2a/spot',
        `m5.*/us-west-2a/spot@${at(MINUTE)}`,
        `*/*/on-demand@${at(60 * MINUTE)}`,
        `m5.large/us-*/spot@${at(MINUTE)}`,
        `m5.large/us-west-2a/*@${at(MINUTE)}`,
        `*/us-west-2z/spot@${at(MINUTE)}`,
        '??',
      ].join(','),
    );
    const { cache } = await restored();
    expect(cache.list()).toEqual([{ capacityType: 'on-demand', until: env.clock.now() + 3 * MINUTE }]);
  });

  test('takes a shortage of a class in a placement group for one of the group, or for none while that is unknown', async () => {
    await nodeClass('grouped', SUBNETS, { placementGroupSelector: { name: 'racks' } });
    const until = env.clock.now() + MINUTE;
    await annotate(`m5.large/us-west-2a/spot@${new Date(until).toISOString()}`, 'grouped');
    const { cache } = await restored();
    const scope = { placementGroupID: 'pg-1' };
    expect(cache.isUnavailable('m5.large', 'us-west-2a', [], 'spot')).toBe(false);
    expect(cache.unavailableUntil('m5.large', 'us-west-2a', [], 'spot', scope)).toBe(until);
    groupFails = true;
    expect((await restored()).cache.list()).toEqual([]);
  });

  test('starts without it when classes can not be read', async () => {
    const { cache, logged } = await restored({ list: () => Promise.reject(refusal(403, 'Forbidden')) });
    expect(cache.list()).toEqual([]);
    expect(logged).toEqual(['cannot read from node classes what is sold out']);
  });
});
