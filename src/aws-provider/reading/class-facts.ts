import type { Ec2ClassFacts } from '../../explain/ec2-class-facts.ts';
import { Requirements } from '../../scheduling/requirements.ts';
import type { BlockDeviceMapping, EC2NodeClass } from '../apis/ec2-node-class.ts';
import { amiFamilyOf } from '../apis/ec2-node-class-facts.ts';
import { ANNOTATION_NODE_CLASS_HASH, ANNOTATION_NODE_CLASS_HASH_VERSION } from '../apis/labels.ts';
import type { Ec2Api } from '../aws-api/apis.ts';
import { mapToInstanceTypes } from '../providers/ami-family/map-to-instance-types.ts';
import type { ClassTypes } from './class-types.ts';
import { termWords } from './selector-words.ts';

/** Addresses that the class's subnets have left, by id; undefined where AWS was not asked, or did not tell. */
export async function freeAddresses(
  ec2: Pick<Ec2Api, 'describeSubnets'> | undefined,
  { status }: EC2NodeClass,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number> | undefined> {
  const ids = (status?.subnets ?? []).map(({ id }) => id);
  if (!ec2 || ids.length === 0) return undefined;
  try {
    // Asked for by their ids themselves, one that is gone would be an error for all.
    const { Subnets = [] } = await ec2.describeSubnets({ Filters: [{ Name: 'subnet-id', Values: ids }] }, { signal });
    return new Map(
      Subnets.map(({ SubnetId = '', AvailableIpAddressCount = 0 }) => [SubnetId, AvailableIpAddressCount]),
    );
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** What a class has found, and what it asks of nodes. */
export function ec2ClassFacts(
  nodeClass: EC2NodeClass,
  { types, reservationsLeft, placementGroup }: Partial<ClassTypes>,
  addresses: ReadonlyMap<string, number> | undefined,
): Ec2ClassFacts {
  const { metadata, spec, status = {} } = nodeClass;
  const { subnets = [], securityGroups = [], amis = [], capacityReservations = [] } = status;
  // An image may be there more than once, for different types.
  const numbered = amis.map((ami, at) => ({ ...ami, id: String(at) }));
  const byNumber = types && types.length > 0 ? mapToInstanceTypes(types, numbered) : undefined;
  return {
    askedAws: addresses !== undefined,
    hash: metadata.annotations?.[ANNOTATION_NODE_CLASS_HASH] ?? null,
    hashVersion: metadata.annotations?.[ANNOTATION_NODE_CLASS_HASH_VERSION] ?? null,
    role: spec.role ?? null,
    instanceProfile: status.instanceProfile ?? spec.instanceProfile ?? null,
    amiFamily: amiFamilyOf(nodeClass),
    selects: {
      amis: spec.amiSelectorTerms.map(termWords),
      subnets: spec.subnetSelectorTerms.map(termWords),
      securityGroups: spec.securityGroupSelectorTerms.map(termWords),
      capacityReservations: (spec.capacityReservationSelectorTerms ?? []).map(termWords),
    },
    subnets: subnets.map(({ id, zone, zoneID = null }) => ({
      ...{ id, zone, zoneID },
      freeAddresses: addresses?.get(id) ?? null,
    })),
    securityGroups: securityGroups.map(({ id, name = null }) => ({ id, name })),
    amis: amis.map(({ id, name = null, deprecated = false, requirements }, at) => ({
      ...{ id, name, deprecated },
      requirements: [...Requirements.fromItems(requirements)].map(String),
      types: byNumber ? (byNumber.get(String(at))?.length ?? 0) : null,
    })),
    capacityReservations: capacityReservations.map((reservation) => ({
      id: reservation.id,
      instanceType: reservation.instanceType,
      zone: reservation.availabilityZone,
      type: reservation.reservationType,
      interruptible: reservation.interruptible,
      state: reservation.state,
      endTime: reservation.endTime ?? null,
      left: reservationsLeft?.get(reservation.id) ?? null,
    })),
    placementGroup: spec.placementGroupSelector
      ? {
          selector: termWords(spec.placementGroupSelector),
          id: placementGroup?.id ?? null,
          strategy: placementGroup?.strategy ?? null,
          partitions: placementGroup?.strategy === 'partition' ? placementGroup.partitionCount : null,
        }
      : null,
    settings: settingsOf(nodeClass),
  };
}

function settingsOf({ spec }: EC2NodeClass): Readonly<Record<string, string>> {
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const settings: readonly (readonly [string, unknown])[] = [
    ...Object.entries(spec.kubelet ?? {}).map(([key, value]) => [`kubelet.${key}`, value] as const),
    ...(spec.blockDeviceMappings ?? []).map(
      (mapping) => [`volume ${mapping.deviceName}`, volumeWords(mapping)] as const,
    ),
    ['instanceStorePolicy', spec.instanceStorePolicy],
    ['userData', spec.userData === undefined ? undefined : `${Buffer.byteLength(spec.userData)} bytes`],
    ['networkInterfaces', spec.networkInterfaces?.length],
    ['associatePublicIPAddress', spec.associatePublicIPAddress],
    ['ipPrefixCount', spec.ipPrefixCount],
    ['cpuOptions.nestedVirtualization', spec.cpuOptions?.nestedVirtualization],
    [
      'tags',
      spec.tags &&
        Object.entries(spec.tags)
          .map(([key, value]) => `${key}=${value}`)
          .join(', '),
    ],
  ];
  return Object.fromEntries(settings.flatMap(([key, value]) => (value === undefined ? [] : [[key, text(value)]])));
}

function volumeWords({ ebs, rootVolume }: BlockDeviceMapping): string {
  const { volumeSize, volumeType, encrypted, iops, throughput } = ebs ?? {};
  return [
    volumeSize,
    volumeType,
    iops === undefined ? '' : `${iops} IOPS`,
    throughput === undefined ? '' : `${throughput} MiB/s`,
    encrypted ? 'encrypted' : '',
    rootVolume ? 'root' : '',
  ]
    .filter(Boolean)
    .join(' ');
}
