import { CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_SPOT, LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../../src/apis/labels.ts';
import { canonicalQuantity } from '../../src/kube/quantity.ts';
import type { InstanceTypeOptions, OfferingOptions } from './instance-type-options.ts';

const CPUS = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256];
/** GiB per cpu, and the letter of the family: compute, standard, memory. */
const FAMILIES = [
  [2, 'c'],
  [4, 's'],
  [8, 'm'],
] as const;
const SYSTEMS = ['linux', 'windows'];
const ARCHITECTURES = ['amd64', 'arm64'];
const ZONES = ['test-zone-a', 'test-zone-b', 'test-zone-c', 'test-zone-d'];
const CAPACITY_TYPES = [CAPACITY_TYPE_SPOT, CAPACITY_TYPE_ON_DEMAND];

const GIB = 2 ** 30;
const PER_CPU = 0.025;
/** Upstream's list was made with sums in varying order: these two prices differ from the formula in the last bit. */
const ROUNDED_DOWN: ReadonlySet<string> = new Set(['c-48x-arm64-windows', 'c-192x-arm64-linux']);
const PER_GIGABYTE = 0.001;
const SPOT_SHARE = 0.7;
const LARGEST_POD_COUNT = 1024;

function offerings(price: number): OfferingOptions[] {
  return ZONES.flatMap((zone) =>
    CAPACITY_TYPES.map((capacityType) => ({
      Price: capacityType === CAPACITY_TYPE_SPOT ? price * SPOT_SHARE : price,
      Available: true,
      Requirements: [
        { key: LABEL_CAPACITY_TYPE, operator: 'In', values: [capacityType] },
        { key: LABEL_ZONE, operator: 'In', values: [zone] },
      ],
    })),
  );
}

function make(cpu: number, gibPerCpu: number, family: string, os: string, architecture: string): InstanceTypeOptions {
  const gib = cpu * gibPerCpu;
  const name = `${family}-${cpu}x-${architecture}-${os}`;
  const cpuPrice = ROUNDED_DOWN.has(name) ? cpu / (1 / PER_CPU) : PER_CPU * cpu;
  return {
    name,
    architecture,
    operatingSystems: [os],
    resources: {
      cpu: String(cpu),
      memory: canonicalQuantity(`${gib}Gi`),
      pods: String(Math.min(cpu * 16, LARGEST_POD_COUNT)),
      'ephemeral-storage': '20Gi',
    },
    offerings: offerings(cpuPrice + (PER_GIGABYTE * (gib * GIB)) / 1e9),
  };
}

/** The 144 made-up types of upstream's kwok provider, in its order and at its prices (karpenter-core.md 13.1.1). */
export function genericInstanceTypes(): InstanceTypeOptions[] {
  return CPUS.flatMap((cpu) =>
    FAMILIES.flatMap(([gibPerCpu, family]) =>
      SYSTEMS.flatMap((os) => ARCHITECTURES.map((architecture) => make(cpu, gibPerCpu, family, os, architecture))),
    ),
  );
}
