import { CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_SPOT, LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../../src/apis/labels.ts';
import usEast1 from './ec2-us-east-1.generated.json' with { type: 'json' };
import type { InstanceTypeOptions } from './instance-type-options.ts';

/** What EC2 sells in one region, as hack/generate-ec2-catalogue.ts writes it: each type is one short row. */
export interface Ec2Catalogue {
  readonly region: string;
  /** The day of the prices, YYYY-MM-DD. */
  readonly pricesAsOf: string;
  /** The package, with its version, that the types and zones are taken from. */
  readonly source: string;
  /** By name of the type. */
  readonly types: readonly Ec2Type[];
}

export interface Ec2Type {
  readonly name: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly cpu: number;
  readonly memoryMi: number;
  /** As many as the network interfaces have addresses for. */
  readonly pods: number;
  /** On demand, Linux, shared tenancy, in USD per hour. */
  readonly price: number;
  /** The last letters of the zones that sell it: `abc`. */
  readonly zones: string;
  readonly spot: boolean;
  /** GPUs and accelerators, by name of the resource. */
  readonly devices: Readonly<Record<string, number>>;
}

/**
 * Spot prices change by the minute and are in no package: this share of the on-demand price stands for them, as upstream's
 * made-up types have it.
 */
const SPOT_SHARE = 0.7;

/** EC2's types in us-east-1. */
export const EC2_US_EAST_1: Ec2Catalogue = { ...usEast1, types: usEast1.types.map(readType) };

/** The types of a region in the format of the kwok provider: every zone and, but for the few that have none, spot. */
export function ec2InstanceTypes({ region, types }: Ec2Catalogue): InstanceTypeOptions[] {
  return types.map((type) => ({
    name: type.name,
    architecture: type.architecture,
    operatingSystems: ['linux'],
    resources: {
      cpu: String(type.cpu),
      memory: `${type.memoryMi}Mi`,
      pods: String(type.pods),
      'ephemeral-storage': '20Gi',
      ...Object.fromEntries(Object.entries(type.devices).map(([name, count]) => [name, String(count)])),
    },
    offerings: [...type.zones].flatMap((letter) =>
      (type.spot ? [CAPACITY_TYPE_SPOT, CAPACITY_TYPE_ON_DEMAND] : [CAPACITY_TYPE_ON_DEMAND]).map((capacityType) => ({
        Price: capacityType === CAPACITY_TYPE_SPOT ? type.price * SPOT_SHARE : type.price,
        Available: true,
        Requirements: [
          { key: LABEL_CAPACITY_TYPE, operator: 'In', values: [capacityType] },
          { key: LABEL_ZONE, operator: 'In', values: [`${region}${letter}`] },
        ],
      })),
    ),
  }));
}

/** Rows are `[name, architecture, cpu, memoryMi, pods, price, zones, spot, devices]`. */
function readType(row: readonly unknown[]): Ec2Type {
  const [name, architecture, cpu, memoryMi, pods, price, zones, spot = true, devices = {}] = row;
  return { name, architecture, cpu, memoryMi, pods, price, zones, spot, devices } as Ec2Type;
}
