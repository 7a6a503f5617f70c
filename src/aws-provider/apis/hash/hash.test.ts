import { describe, expect, test } from 'vitest';
import type {
  BlockDevice,
  BlockDeviceMapping,
  EC2NodeClass,
  EC2NodeClassSpec,
  MetadataOptions,
} from '../ec2-node-class.ts';
import { ec2NodeClassHash } from './ec2-node-class-hash.ts';
import { legacyInstanceProfileName, newInstanceProfileName } from './instance-profile-name.ts';

/** What upstream's own test hashes. */
const disk: BlockDeviceMapping = {
  deviceName: 'map-device-1',
  rootVolume: false,
  ebs: {
    deleteOnTermination: false,
    encrypted: false,
    iops: 0,
    kmsKeyID: 'fakeKMSKeyID',
    snapshotID: 'fakeSnapshot',
    throughput: 0,
    volumeSize: '2G',
    volumeType: 'standard',
  },
};
const otherDisk: BlockDeviceMapping = { deviceName: 'map-device-2' };
const metadata: MetadataOptions = {
  httpEndpoint: 'disabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 1,
  httpTokens: 'optional',
};
const spec: EC2NodeClassSpec = {
  subnetSelectorTerms: [],
  securityGroupSelectorTerms: [],
  amiSelectorTerms: [],
  role: 'role-1',
  tags: { 'keyTag-1': 'valueTag-1', 'keyTag-2': 'valueTag-2' },
  context: 'fake-context',
  detailedMonitoring: false,
  associatePublicIPAddress: false,
  metadataOptions: metadata,
  blockDeviceMappings: [disk, otherDisk],
  userData: 'userdata-test-1',
};
const BASE = '11148166120438674859';

const hash = (changes: Partial<EC2NodeClassSpec> = {}): string => {
  const nodeClass: EC2NodeClass = {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'x' },
    spec: { ...spec, ...changes },
  };
  return ec2NodeClassHash(nodeClass, 'test-ca-bundle');
};
const disks = (changes: Partial<BlockDeviceMapping>): Partial<EC2NodeClassSpec> => ({
  blockDeviceMappings: [{ ...disk, ...changes }, otherDisk],
});
const volume = (changes: BlockDevice): Partial<EC2NodeClassSpec> => disks({ ebs: { ...disk.ebs, ...changes } });
const options = (changes: MetadataOptions): Partial<EC2NodeClassSpec> => ({
  metadataOptions: { ...metadata, ...changes },
});

describe('the hash equals the one upstream stamps', () => {
  test.each<[string, Partial<EC2NodeClassSpec>, string]>([
    ['a class with many settings', {}, BASE],
    ['user data', { userData: 'userdata-test-2' }, '11774429238106843388'],
    ['tags', { tags: { ...spec.tags, 'keyTag-test-3': 'valueTag-test-3' } }, '9327338697296909506'],
    ['context', { context: 'context-2' }, '2279761750428738028'],
    ['detailedMonitoring', { detailedMonitoring: true }, '1936848126751988570'],
    ['instanceStorePolicy', { instanceStorePolicy: 'RAID0' }, '16697988646989909967'],
    ['associatePublicIPAddress', { associatePublicIPAddress: true }, '16141801171825097963'],
    ['httpEndpoint', options({ httpEndpoint: 'enabled' }), '14969742554812447671'],
    ['httpProtocolIPv6', options({ httpProtocolIPv6: 'enabled' }), '1581716956216772561'],
    ['httpPutResponseHopLimit', options({ httpPutResponseHopLimit: 10 }), '14046948658064232764'],
    ['httpTokens', options({ httpTokens: 'required' }), '1346719102507290084'],
    ['deviceName', disks({ deviceName: 'map-device-test-3' }), '8979166653850509463'],
    ['rootVolume', disks({ rootVolume: true }), '8875796205856543692'],
    ['deleteOnTermination', volume({ deleteOnTermination: true }), '1470935115846151531'],
    ['encrypted', volume({ encrypted: true }), '5252376125396833097'],
    ['iops', volume({ iops: 10 }), '11651419893470054855'],
    ['kmsKeyID', volume({ kmsKeyID: 'test' }), '1488385067008138755'],
    ['snapshotID', volume({ snapshotID: 'test' }), '12786013539168652330'],
    ['throughput', volume({ throughput: 10 }), '1873429003468556999'],
    ['volumeType', volume({ volumeType: 'io1' }), '6743466905516550702'],
    ['volumeSize', volume({ volumeSize: '10G' }), '10372902467896351912'],
    ['tcpEstablishedTimeout', { connectionTracking: { tcpEstablishedTimeout: 300 } }, '1619669030802245540'],
    ['udpStreamTimeout', { connectionTracking: { udpStreamTimeout: 120 } }, '13743705849402595405'],
    ['udpTimeout', { connectionTracking: { udpTimeout: 45 } }, '17941926745862994490'],
    ['nestedVirtualization', { cpuOptions: { nestedVirtualization: 'enabled' } }, '6157846767212910604'],
    [
      'an instance profile in place of a role',
      { role: undefined, instanceProfile: 'test-instance-profile' },
      '10323991363677716244',
    ],
  ])('for %s', (_, changes, expected) => {
    expect(hash(changes)).toBe(expected);
  });
});

/** Of upstream's library, fed with structs of the same names and fields. */
test.each<[string, Partial<EC2NodeClassSpec>, string, string?]>([
  ['a placement group by name', { placementGroupSelector: { name: 'g' } }, '16860309576862204615'],
  ['empty CPU options', { placementGroupSelector: { id: 'pg-1' }, cpuOptions: {} }, '233806368101062855'],
  [
    'network interfaces',
    {
      networkInterfaces: [
        { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
        { networkCardIndex: 1, deviceIndex: 0, interfaceType: 'efa-only' },
        { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'efa-only' },
      ],
    },
    '3983662220046046538',
  ],
  [
    'what is set to nothing',
    { networkInterfaces: [], tags: {}, blockDeviceMappings: [], userData: '' },
    '2338813875590985304',
  ],
  [
    'equal disks, and no CA bundle',
    {
      blockDeviceMappings: [
        { ebs: { volumeInitializationRate: 300, snapshotID: 's' } },
        { ebs: { volumeInitializationRate: 300, snapshotID: 's' } },
        {},
      ],
    },
    '15931966328588111099',
    '',
  ],
  [
    'a kubelet configuration as Go writes it',
    { kubelet: { z: { c: [true, null], b: 1.5 }, maxPods: 110, a: '<&>\u2028' } },
    '7378398145643718153',
  ],
])('the hash is that of hashstructure for %s', (_, changes, expected, caBundle = 'ca') => {
  const { subnetSelectorTerms, securityGroupSelectorTerms, amiSelectorTerms } = spec;
  const small = { subnetSelectorTerms, securityGroupSelectorTerms, amiSelectorTerms, role: 'r' };
  const nodeClass = { metadata: { name: 'x' }, spec: { ...small, amiFamily: 'AL2023', ...changes } } as EC2NodeClass;
  expect(ec2NodeClassHash(nodeClass, caBundle)).toBe(expected);
});

test('what is found out again and again does not change the hash', () => {
  const tags = { a: 'b' };
  expect(hash({ amiSelectorTerms: [{ tags }] })).toBe(BASE);
  expect(hash({ subnetSelectorTerms: [{ tags }], securityGroupSelectorTerms: [{ tags }] })).toBe(BASE);
  expect(hash({ capacityReservationSelectorTerms: [{ tags }], ipPrefixCount: 2 })).toBe(BASE);
});

test('order of tags and disks does not change the hash', () => {
  expect(hash({ tags: { 'keyTag-2': 'valueTag-2', 'keyTag-1': 'valueTag-1' } })).toBe(BASE);
  expect(hash({ blockDeviceMappings: [otherDisk, disk] })).toBe(BASE);
});

test('a size is the same however it is written', () => {
  expect(hash(volume({ volumeSize: '2000M' }))).toBe(BASE);
});

test('an alias counts as its family', () => {
  const alias = [{ alias: 'al2023@latest' }];
  expect(hash({ amiSelectorTerms: alias })).toBe(hash({ amiFamily: 'AL2023' }));
  expect(hash({ amiSelectorTerms: alias })).not.toBe(BASE);
  expect(hash({ amiFamily: 'Custom' })).toBe(BASE);
});

test('every other setting changes the hash', () => {
  const changed = [
    hash({ placementGroupSelector: { name: 'a' } }),
    hash({ placementGroupSelector: { id: 'a' } }),
    hash({ networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' }] }),
    hash({ networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 1, interfaceType: 'interface' }] }),
    hash({ networkInterfaces: [{ networkCardIndex: 1, deviceIndex: 0, interfaceType: 'interface' }] }),
    hash({ networkInterfaces: [] }),
    hash(volume({ volumeInitializationRate: 100 })),
    hash({ kubelet: { maxPods: 12 } }),
    hash({ kubelet: { maxPods: 21 } }),
    hash({ kubelet: { maxPods: '12' } }),
  ];
  expect(new Set([BASE, ...changed]).size).toBe(11);
  expect(hash({ kubelet: {} })).toBe(BASE);
  expect(hash({ kubelet: { b: { d: 1, c: 2 }, a: 1 } })).toBe(hash({ kubelet: { a: 1, b: { c: 2, d: 1 } } }));
});

test('nodes of another CA bundle have drifted', () => {
  const nodeClass = { metadata: { name: 'x' }, spec } as EC2NodeClass;
  expect(ec2NodeClassHash(nodeClass, 'other')).not.toBe(BASE);
});

test('instance profiles are named after the region and the class', () => {
  // FNV-1 of `us-west-2default` and of `us-west-2defaultu`.
  expect(legacyInstanceProfileName('default', 'c', 'us-west-2')).toBe('c_4067990795380418201');
  expect(newInstanceProfileName('default', 'c', 'us-west-2', 'u')).toBe('c_2536496071278679438');
});
