import usEast1 from './ec2-us-east-1.generated.json' with { type: 'json' };

/** What EC2 sells in one region, as hack/generate-ec2-catalogue.ts writes it: each type is one short row. */
export interface Ec2Catalogue {
  readonly region: string;
  /** The day of the prices, YYYY-MM-DD. */
  readonly pricesAsOf: string;
  /** The package, with its version, that the types and zones are taken from. */
  readonly source: string;
  /** By the last letter of a zone's name. */
  readonly zoneIDs: Readonly<Record<string, string>>;
  /** Keys of the types' labels, in the order of their values. */
  readonly labels: readonly string[];
  /** By name of the type. */
  readonly types: readonly Ec2Type[];
}

/** A type as the EC2 provider sees it before it knows a node of it, for nodes of AL2023 with nothing set. */
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
  /** What the kubelet and the container runtime keep: millicores, and MiB of memory. */
  readonly reserved: readonly [cpuMilli: number, memoryMi: number];
  /** That can be attached beside the one that the machine starts from. */
  readonly volumes: number;
  /** Null for a label that nodes of the type don't have. */
  readonly labels: readonly (string | null)[];
  readonly spot: boolean;
  /** GPUs and accelerators, by name of the resource. */
  readonly devices: Readonly<Record<string, number>>;
  /** Interfaces and the like, by name of the resource. */
  readonly others: Readonly<Record<string, number>>;
}

/** EC2's types in us-east-1. */
export const EC2_US_EAST_1: Ec2Catalogue = { ...usEast1, types: (usEast1.types as readonly Row[]).map(readType) };

type Row = readonly unknown[];

function readType(row: Row): Ec2Type {
  const [name, architecture, cpu, memoryMi, pods, price, zones, reserved, volumes, labels, ...rest] = row;
  const [spot = true, devices = {}, others = {}] = rest;
  const facts = { name, architecture, cpu, memoryMi, pods, price, zones, reserved, volumes, labels };
  return { ...facts, spot, devices, others } as Ec2Type;
}
