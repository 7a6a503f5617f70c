import {
  CAPACITY_TYPE_ON_DEMAND,
  CAPACITY_TYPE_SPOT,
  LABEL_CAPACITY_TYPE,
  LABEL_REGION,
  LABEL_ZONE,
} from '../../src/apis/labels.ts';
import type { ResourceList } from '../../src/kube/objects.ts';
import { RESOURCE_VOLUMES } from '../apis/labels.ts';
import type { Ec2Catalogue, Ec2Type } from './ec2-catalogue.ts';
import type { InstanceTypeOptions } from './instance-type-options.ts';
import { spotShare } from './spot-share.ts';

/** Names that the EC2 provider gives these labels. */
const LABEL_ZONE_ID = 'topology.k8s.aws/zone-id';
const LABEL_TENANCY = 'karpenter.k8s.aws/instance-tenancy';
/** What nodes of the kwok provider never have. */
const ABSENT: Readonly<Record<string, null>> = {
  'node.kubernetes.io/windows-build': null,
  'karpenter.k8s.aws/capacity-reservation-id': null,
  'karpenter.k8s.aws/capacity-reservation-type': null,
  'karpenter.k8s.aws/capacity-reservation-interruptible': null,
};
/** The root volume of AL2023, what the kubelet keeps of it, and the tenth below which it evicts. */
const STORAGE_GI = 20;
const STORAGE_RESERVED_GI = 3;
const EVICTION_MEMORY_MI = 100;

/** What a price of spot is made of. */
export type SpotShare = (type: Ec2Type, zone: string) => number;

/**
 * The types of a region as the EC2 provider has them: labels, capacity, overhead, zones with their ids. On-demand prices are
 * EC2's; those of spot are made up.
 */
export function ec2InstanceTypes(catalogue: Ec2Catalogue): InstanceTypeOptions[] {
  const { region, zoneIDs, labels } = catalogue;
  return plainEc2InstanceTypes(catalogue, spotShare).map((options, i) => {
    const type = catalogue.types[i];
    if (!type) return options;
    const [cpuMilli, memoryMi] = type.reserved;
    return {
      ...options,
      resources: { ...options.resources, ...texts(type.others), [RESOURCE_VOLUMES]: String(type.volumes) },
      labels: {
        ...ABSENT,
        [LABEL_REGION]: region,
        [LABEL_TENANCY]: 'default',
        ...Object.fromEntries(labels.map((label, at) => [label, type.labels[at] ?? null])),
      },
      overhead: {
        cpu: `${cpuMilli}m`,
        memory: `${memoryMi + EVICTION_MEMORY_MI}Mi`,
        'ephemeral-storage': `${STORAGE_RESERVED_GI}Gi`,
      },
      offerings: options.offerings.map((offering) => {
        const zone = offering.Requirements.find(({ key }) => key === LABEL_ZONE)?.values?.[0] ?? '';
        const values = [zoneIDs[zone.slice(region.length)] ?? ''];
        return {
          ...offering,
          Requirements: [...offering.Requirements, { key: LABEL_ZONE_ID, operator: 'In', values }],
        };
      }),
    };
  });
}

/** The same in the format that upstream's kwok provider reads: it can't be told labels and overhead. */
export function plainEc2InstanceTypes({ region, types }: Ec2Catalogue, share: SpotShare): InstanceTypeOptions[] {
  return types.map((type) => ({
    name: type.name,
    architecture: type.architecture,
    operatingSystems: ['linux'],
    resources: {
      cpu: String(type.cpu),
      memory: `${type.memoryMi}Mi`,
      pods: String(type.pods),
      'ephemeral-storage': `${STORAGE_GI}Gi`,
      ...texts(type.devices),
    },
    offerings: [...type.zones].flatMap((letter) =>
      (type.spot ? [CAPACITY_TYPE_SPOT, CAPACITY_TYPE_ON_DEMAND] : [CAPACITY_TYPE_ON_DEMAND]).map((capacityType) => ({
        Price: capacityType === CAPACITY_TYPE_SPOT ? type.price * share(type, `${region}${letter}`) : type.price,
        Available: true,
        Requirements: [
          { key: LABEL_CAPACITY_TYPE, operator: 'In', values: [capacityType] },
          { key: LABEL_ZONE, operator: 'In', values: [`${region}${letter}`] },
        ],
      })),
    ),
  }));
}

function texts(counts: Readonly<Record<string, number>>): ResourceList {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)]));
}
