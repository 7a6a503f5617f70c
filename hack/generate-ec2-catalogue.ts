/**
 * Writes kwok-provider/instance-types/ec2-REGION.generated.json: the instance types that EC2 sells in a region, from the
 * describe-instance-types and offerings answers that the Python package moto carries. `--check` compares instead, and fails
 * where the file is stale. Needs pip; without it, says so.
 *
 *   node hack/generate-ec2-catalogue.ts [--check] [--prices FILE]
 *
 * The package has no prices. They stay as they are in the file, unless FILE has new ones:
 * `{"asOf": "2026-07-20", "regions": {"us-east-1": {"m5.large": 0.096, …}}}`. Types without a price are left out.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { MOTO, withMoto } from './moto-package.ts';

const REGION = 'us-east-1';
/** What the virtual machine keeps to itself: the default of Karpenter's EC2 provider. */
const VM_MEMORY_OVERHEAD = 0.075;
/** Not seen by a Graviton's operating system. */
const ARM_MEMORY_MI = 64;
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64' };
const GPUS: Readonly<Record<string, string>> = {
  NVIDIA: 'nvidia.com/gpu',
  AMD: 'amd.com/gpu',
  Habana: 'habana.ai/gaudi',
};

/** The fields of EC2's answer that count. */
interface DescribedType {
  readonly MemoryInfo: { readonly SizeInMiB: number };
  readonly VCpuInfo: { readonly DefaultVCpus: number };
  readonly ProcessorInfo: { readonly SupportedArchitectures: readonly string[] };
  readonly SupportedUsageClasses: readonly string[];
  readonly SupportedVirtualizationTypes: readonly string[];
  readonly NetworkInfo: {
    readonly DefaultNetworkCardIndex: number;
    readonly Ipv4AddressesPerInterface: number;
    readonly NetworkCards: readonly { readonly NetworkCardIndex: number; readonly MaximumNetworkInterfaces: number }[];
  };
  readonly GpuInfo?: { readonly Gpus: readonly { readonly Manufacturer: string; readonly Count: number }[] };
  readonly NeuronInfo?: { readonly NeuronDevices: readonly { readonly Count: number }[] };
}

interface Prices {
  readonly asOf: string;
  readonly byType: ReadonlyMap<string, number>;
}

const target = fileURLToPath(new URL(`../kwok-provider/instance-types/ec2-${REGION}.generated.json`, import.meta.url));

/** Exit status: 0 done or the same, 1 stale or failed. */
function main(): number {
  const { values } = parseArgs({
    options: { check: { type: 'boolean', default: false }, prices: { type: 'string' } },
  });
  return withMoto('generate-ec2-catalogue', values.check, (resources) => {
    const text = catalogue(resources, values.prices ? pricesOf(values.prices) : knownPrices());
    if (!values.check) writeFileSync(target, text);
    else if (readFileSync(target, 'utf8') !== text) {
      console.error(
        `generate-ec2-catalogue: ec2-${REGION}.generated.json is stale; run \`node hack/generate-ec2-catalogue.ts\``,
      );
      return 1;
    }
    return 0;
  });
}

function pricesOf(file: string): Prices {
  const { asOf, regions } = JSON.parse(readFileSync(file, 'utf8'));
  return { asOf, byType: new Map(Object.entries<number>(regions[REGION])) };
}

function knownPrices(): Prices {
  const { pricesAsOf, types } = JSON.parse(readFileSync(target, 'utf8'));
  return {
    asOf: pricesAsOf,
    byType: new Map(types.map((row: readonly unknown[]) => [String(row[0]), Number(row[5])])),
  };
}

function catalogue(resources: string, prices: Prices): string {
  const types: Readonly<Record<string, DescribedType>> = unpack(join(resources, 'instance_types.json.gz'));
  const zones = zonesByType(join(resources, 'instance_type_offerings', 'availability-zone', `${REGION}.json.gz`));
  const rows = Object.keys(types)
    .sort()
    .flatMap((name) => {
      const [type, sold, price] = [types[name], zones.get(name), prices.byType.get(name)];
      const row = type && sold && price !== undefined ? rowOf(name, type, sold, price) : undefined;
      return row ? [JSON.stringify(row)] : [];
    });
  const head = { region: REGION, pricesAsOf: prices.asOf, source: MOTO };
  return `${JSON.stringify(head).slice(0, -1)},"types":[\n${rows.join(',\n')}\n]}\n`;
}

/** What is as usual at the end of a row is left out. Undefined where Karpenter's EC2 provider wouldn't list the type. */
function rowOf(name: string, type: DescribedType, zones: string, price: number): readonly unknown[] | undefined {
  const architecture = type.ProcessorInfo.SupportedArchitectures.map((a) => ARCHITECTURES[a]).find((a) => a);
  if (!architecture || !type.SupportedVirtualizationTypes.includes('hvm')) return undefined;
  const devices = devicesOf(type);
  const spot = type.SupportedUsageClasses.includes('spot');
  const row = [name, architecture, type.VCpuInfo.DefaultVCpus, memoryMi(type, architecture), pods(type), price, zones];
  if (Object.keys(devices).length > 0) return [...row, spot, devices];
  return spot ? row : [...row, spot];
}

/** Capacity as Karpenter's EC2 provider expects it before it has seen a node of the type. */
function memoryMi({ MemoryInfo: { SizeInMiB } }: DescribedType, architecture: string): number {
  const size = SizeInMiB - (architecture === 'arm64' ? ARM_MEMORY_MI : 0);
  return size - Math.ceil(size * VM_MEMORY_OVERHEAD);
}

/** Every interface of the default network card but for one address each, and two pods on the host's network. */
function pods({ NetworkInfo }: DescribedType): number {
  const { DefaultNetworkCardIndex, Ipv4AddressesPerInterface, NetworkCards } = NetworkInfo;
  const card = NetworkCards.find(({ NetworkCardIndex }) => NetworkCardIndex === DefaultNetworkCardIndex);
  return (card?.MaximumNetworkInterfaces ?? 0) * (Ipv4AddressesPerInterface - 1) + 2;
}

function devicesOf({ GpuInfo, NeuronInfo }: DescribedType): Record<string, number> {
  const devices: Record<string, number> = {};
  for (const { Manufacturer, Count } of GpuInfo?.Gpus ?? []) {
    const resource = GPUS[Manufacturer];
    if (resource) devices[resource] = (devices[resource] ?? 0) + Count;
  }
  const neurons = (NeuronInfo?.NeuronDevices ?? []).reduce((sum, { Count }) => sum + Count, 0);
  return neurons > 0 ? { ...devices, 'aws.amazon.com/neuron': neurons } : devices;
}

function zonesByType(file: string): ReadonlyMap<string, string> {
  const letters = new Map<string, string>();
  const offerings: readonly { readonly InstanceType: string; readonly Location: string }[] = unpack(file);
  for (const { InstanceType, Location } of offerings) {
    letters.set(InstanceType, (letters.get(InstanceType) ?? '') + Location.slice(REGION.length));
  }
  return new Map([...letters].map(([type, text]) => [type, [...text].sort().join('')]));
}

function unpack<T>(file: string): T {
  return JSON.parse(gunzipSync(readFileSync(file)).toString());
}

process.exitCode = main();
