import { beforeEach, expect, test } from 'vitest';
import { nodePool } from '../../../../test/factories/index.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import type { Event } from '../../../events/recorder.ts';
import { AWS_GROUP, type EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { ZonalShiftController } from './zonal-shift.ts';

const CLASS = { group: AWS_GROUP, version: 'v1', kind: 'EC2NodeClass', plural: 'ec2nodeclasses' };
const SUBNETS = [
  { id: 'subnet-1', zone: 'us-west-2a', zoneID: 'usw2-az1' },
  { id: 'subnet-2', zone: 'us-west-2b', zoneID: 'usw2-az2' },
];
const { signal } = new AbortController();

let shifted: Set<string>;
let updates: () => Promise<void>;
let published: string[];
let pools: NodePool[];
let controller: ZonalShiftController;
let classFails: boolean;

const nodeClassRef = { group: AWS_GROUP, kind: 'EC2NodeClass', name: 'default' };
/** A pool with a requirement, if told. */
const pool = (name: string, key?: string, values: readonly string[] = [], ref = nodeClassRef) =>
  nodePool({
    metadata: { name, uid: name },
    spec: {
      template: { spec: { nodeClassRef: ref, requirements: key ? [{ key, operator: 'In', values }] : [] } },
    },
  });

beforeEach(() => {
  shifted = new Set();
  updates = async () => {};
  published = [];
  pools = [pool('any')];
  classFails = false;
  controller = new ZonalShiftController({
    nodePools: { list: () => pools },
    cloud: { supportedNodeClasses: () => [CLASS] },
    recorder: {
      publish: (...events: readonly Event[]) => {
        for (const { object, type, reason, message } of events) {
          published.push(`${object.metadata.name} ${type} ${reason} ${message}`);
        }
      },
    },
    nodeClasses: {
      get: async (name) => {
        if (classFails) throw new Error('no API');
        return name === 'default'
          ? ({ metadata: { name }, status: { subnets: SUBNETS } } as unknown as EC2NodeClass)
          : undefined;
      },
    },
    zonalShift: { update: () => updates(), shiftedZones: () => new Set(shifted) },
  });
});

const look = () => controller.reconcile('all', signal);
const told = () => published.splice(0).map((line) => line.split(' ').slice(0, 3).join(' '));

test('pools are told once when a zone of theirs is shifted away from, and once when it is back', async () => {
  expect(await look()).toEqual({ requeueAfter: 30_000 });
  expect(published).toEqual([]);
  shifted.add('usw2-az1');
  await look();
  await look();
  expect(published.splice(0)).toEqual([
    'any Warning ZonalShiftActive Zonal shift detected: offerings in zone us-west-2a (usw2-az1) are unavailable for this NodePool',
  ]);
  shifted = new Set(['usw2-az2']);
  await look();
  await look();
  expect(published).toEqual([
    'any Normal ZonalShiftCleared Zonal shift cleared: offerings in zone us-west-2a (usw2-az1) are restored for this NodePool',
    'any Warning ZonalShiftActive Zonal shift detected: offerings in zone us-west-2b (usw2-az2) are unavailable for this NodePool',
  ]);
});

test('only pools that can have nodes in the zone are told, by name of the zone or by its id', async () => {
  pools = [
    pool('here', 'topology.kubernetes.io/zone', ['us-west-2a', 'us-west-2b']),
    pool('elsewhere', 'topology.kubernetes.io/zone', ['us-west-2b']),
    pool('here-by-id', 'topology.k8s.aws/zone-id', ['usw2-az1']),
    pool('elsewhere-by-id', 'topology.k8s.aws/zone-id', ['usw2-az2']),
    pool('foreign', undefined, [], { group: 'example.com', kind: 'OtherNodeClass', name: 'default' }),
    pool('without-class', undefined, [], { ...nodeClassRef, name: 'missing' }),
  ];
  shifted = new Set(['usw2-az1', 'usw2-az9']);
  await look();
  expect(told()).toEqual(['here Warning ZonalShiftActive', 'here-by-id Warning ZonalShiftActive']);
});

test('what could not be told is told at the next look', async () => {
  shifted.add('usw2-az1');
  classFails = true;
  await expect(look()).rejects.toThrow('no API');
  classFails = false;
  await look();
  expect(told()).toEqual(['any Warning ZonalShiftActive']);
});

test('an update that fails is tried again, and tells nothing', async () => {
  shifted.add('usw2-az1');
  updates = () => Promise.reject(new Error('throttled'));
  await expect(look()).rejects.toThrow('updating zonal shifts, throttled');
  expect(told()).toEqual([]);
});
