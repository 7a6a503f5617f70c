import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { EC2_TYPES } from '../../../../test/aws/ec2-types.ts';
import { ec2NodeClass } from '../../../../test/factories/ec2-node-class.ts';
import { SILENT } from '../../../logging/logger.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import type { CapacityReservationStatus, EC2NodeClassSpec } from '../../apis/ec2-node-class.ts';
import { resolveInstanceType } from './resolve-instance-type.ts';

interface Case {
  readonly spec: Partial<EC2NodeClassSpec>;
  readonly vmMemoryOverheadPercent: number;
  readonly reservedENIs?: number;
  readonly capacityReservations?: readonly CapacityReservationStatus[];
  /** SHA-256 of all types as upstream v1.14.1's NewInstanceType makes them of the very same descriptions. */
  readonly upstream: string;
}

/** Upstream's tables are older than ours there, and the last label is not in v1.14.1. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'vpc.amazonaws.com/pod-eni',
  'vpc.amazonaws.com/PrivateIPv4Address',
  'karpenter.k8s.aws/instance-network-bandwidth',
  'karpenter.k8s.aws/nitro-sandbox',
]);

const reservation = (id: string, instanceType: string, interruptible: boolean): CapacityReservationStatus => ({
  id,
  instanceType,
  availabilityZone: 'us-west-2b',
  instanceMatchCriteria: 'targeted',
  ownerID: '1',
  reservationType: id === 'cr-1' ? 'default' : 'capacity-block',
  interruptible,
  state: 'active',
});

const CASES: Readonly<Record<string, Case>> = {
  'a plain class': {
    spec: { amiFamily: 'AL2023' },
    vmMemoryOverheadPercent: 0.075,
    upstream: '7edf1fdf6b7afd2be5e343282329dfa2e621bf5b0db45d1678f7fa88de709ff7',
  },
  'kubelet settings': {
    spec: {
      amiFamily: 'AL2',
      kubelet: {
        maxPods: 20,
        kubeReserved: { cpu: '1', pid: '1000' },
        systemReserved: { memory: '1500M' },
        evictionHard: { 'memory.available': '5%', 'nodefs.available': '7.5%' },
        evictionSoft: { 'memory.available': '10%' },
      },
    },
    vmMemoryOverheadPercent: 0.075,
    upstream: '08247d28f8faa0bd3bd351425499459da5db520e74402b11fff9f4db5d067212',
  },
  Bottlerocket: {
    spec: {
      amiFamily: 'Bottlerocket',
      kubelet: { podsPerCore: 3 },
      blockDeviceMappings: [
        { deviceName: '/dev/xvda', ebs: { volumeSize: '10Gi' } },
        { deviceName: '/dev/xvdb', ebs: { volumeSize: '33G' } },
      ],
    },
    vmMemoryOverheadPercent: 0.1,
    reservedENIs: 1,
    upstream: '6f05cad5000779561a88cfe09d4fb7794f719acac1669188a1b30825837e282c',
  },
  Windows: {
    spec: {
      amiFamily: 'Windows2022',
      kubelet: { podsPerCore: 11, evictionHard: { 'memory.available': '100%', 'nodefs.available': '5Gi' } },
    },
    vmMemoryOverheadPercent: 0.033,
    upstream: '9b775452a1290bcab885806410180d27d0f5d3f4f5bbef6128ffe21bb822dede',
  },
  'own images, striped disks and EFA': {
    spec: {
      amiFamily: 'Custom',
      instanceStorePolicy: 'RAID0',
      networkInterfaces: [
        { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
        { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'efa-only' },
        { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
      ],
      blockDeviceMappings: [
        { deviceName: '/dev/sda', ebs: { volumeSize: '11Gi' } },
        { deviceName: '/dev/sdb', ebs: { snapshotID: 'snap-1' } },
      ],
    },
    vmMemoryOverheadPercent: 0,
    upstream: '24389a87e71a92febf8c264c9edc14fe97aeed7bdc4e9543b19872614b891f91',
  },
  'reservations, and a root volume': {
    spec: {
      amiFamily: 'AL2023',
      kubelet: { podsPerCore: 4 },
      instanceStorePolicy: 'RAID0',
      blockDeviceMappings: [
        { deviceName: '/dev/xvda', ebs: { volumeSize: '10Gi' } },
        { deviceName: '/dev/xvdc', rootVolume: true, ebs: { volumeSize: '123Gi' } },
      ],
    },
    vmMemoryOverheadPercent: 0.075,
    capacityReservations: [
      reservation('cr-1', 'm5.large', false),
      reservation('cr-2', 'm5.large', true),
      reservation('cr-3', 'p5.48xlarge', false),
    ],
    upstream: '5d78ede98a087bd5f7c73b45dd5eac3ef346a147e31240f87b72330fbe08b577',
  },
};

test.each(Object.entries(CASES))('22: all types of EC2 come out as upstream makes them: %s', (_name, options) => {
  const { spec, vmMemoryOverheadPercent, reservedENIs = 0, capacityReservations = [], upstream } = options;
  const deps = { region: 'us-west-2', options: { vmMemoryOverheadPercent, reservedENIs }, log: SILENT };
  const nodeClass = ec2NodeClass({
    spec,
    status: {
      subnets: [
        { id: 'subnet-1', zone: 'us-west-2a', zoneID: 'usw2-az1' },
        { id: 'subnet-2', zone: 'us-west-2b', zoneID: 'usw2-az2' },
      ],
      capacityReservations,
    },
  });
  const hash = createHash('sha256');
  for (const info of EC2_TYPES.values()) {
    const zones = new Set(['us-west-2a', 'us-west-2c']);
    hash.update(asText(resolveInstanceType({ ...deps, expressions: undefined }, info, zones, nodeClass)));
  }
  expect(hash.digest('hex')).toBe(upstream);
});

/** One line for each amount and each label, in order. */
function asText({ name, capacity, overhead, requirements }: InstanceType): string {
  const amounts = Object.entries({ capacity, ...overhead }).flatMap(([list, resources]) =>
    Object.entries(resources).map(([key, amount]) => ({ key, text: `${list} ${key} ${amount}` })),
  );
  const labels = [...requirements].map(({ key, operator, values }) => ({
    key,
    text: `${key} ${operator} ${[...values].sort().join()}`,
  }));
  const lines = [...amounts, ...labels].filter(({ key }) => !LEFT_OUT.has(key)).map(({ text }) => text);
  return `${name}\n${lines.sort().join('\n')}\n`;
}
