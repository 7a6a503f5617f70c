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
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '../src/aws-provider/apis/ec2-node-class.ts';
import { DEFAULT_AWS_OPTIONS } from '../src/aws-provider/aws-options.ts';
import { hardwareLabels } from '../src/aws-provider/providers/instance-type/hardware-labels.ts';
import { resolveInstanceType } from '../src/aws-provider/providers/instance-type/resolve-instance-type.ts';
import { SILENT } from '../src/logging/logger.ts';
import type { InstanceType } from '../src/scheduling/instance-type.ts';
import { withMoto } from './moto-package.ts';
import { MOTO } from './python-packages.ts';

const REGION = 'us-east-1';
/** As moto gives them to an account; real accounts have the letters in an order of their own. */
const ZONE_IDS: Readonly<Record<string, string>> = {
  a: 'use1-az6',
  b: 'use1-az1',
  c: 'use1-az2',
  d: 'use1-az4',
  e: 'use1-az3',
  f: 'use1-az5',
};
/** What nodes of the kwok provider stand for: of AL2023, with nothing set. */
const NODE_CLASS: EC2NodeClass = {
  metadata: { name: 'default' },
  spec: { amiFamily: 'AL2023', amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
};
/** Devices, by which a type is known; what else a node of it has stands apart. */
const DEVICES: ReadonlySet<string> = new Set([
  'nvidia.com/gpu',
  'amd.com/gpu',
  'habana.ai/gaudi',
  'aws.amazon.com/neuron',
]);
const BASIC: ReadonlySet<string> = new Set(['cpu', 'memory', 'pods', 'ephemeral-storage']);
const MIB = 2 ** 20;
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64' };

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
  const types: Readonly<Record<string, InstanceTypeInfo>> = unpack(join(resources, 'instance_types.json.gz'));
  const zones = zonesByType(join(resources, 'instance_type_offerings', 'availability-zone', `${REGION}.json.gz`));
  const names = Object.keys(types).sort();
  const labels = labelsOf(Object.values(types));
  const rows = names.flatMap((name) => {
    const [type, sold, price] = [types[name], zones.get(name), prices.byType.get(name)];
    const row = type && sold && price !== undefined ? rowOf(type, sold, price, labels) : undefined;
    return row ? [JSON.stringify(row)] : [];
  });
  const head = { region: REGION, pricesAsOf: prices.asOf, source: MOTO, zoneIDs: ZONE_IDS, labels };
  return `${JSON.stringify(head).slice(0, -1)},"types":[\n${rows.join(',\n')}\n]}\n`;
}

/** Every label that says what a machine is. */
function labelsOf(types: readonly InstanceTypeInfo[]): readonly string[] {
  return [...new Set(types.flatMap((type) => hardwareLabels(type).map(([label]) => label)))].sort();
}

/**
 * A type as Karpenter's EC2 provider sees it: undefined where it wouldn't list the type. What is as usual at the end of a row
 * is left out.
 */
function rowOf(
  info: InstanceTypeInfo,
  zones: string,
  price: number,
  labels: readonly string[],
): readonly unknown[] | undefined {
  const architecture = info.ProcessorInfo?.SupportedArchitectures?.map((a) => ARCHITECTURES[a]).find((a) => a);
  if (!architecture || !info.SupportedVirtualizationTypes?.includes('hvm')) return undefined;
  const deps = { region: REGION, options: DEFAULT_AWS_OPTIONS, log: SILENT, expressions: undefined };
  const { name, capacity, overhead } = resolveInstanceType(deps, info, new Set(), NODE_CLASS);
  const { cpu = 0, memory = 0, pods = 0 } = capacity;
  const reserved = [overhead.kubeReserved?.cpu, (overhead.kubeReserved?.memory ?? 0) / 1000 / MIB];
  const values = new Map(hardwareLabels(info));
  const row = [
    ...[name, architecture, cpu / 1000, memory / 1000 / MIB, pods / 1000, price, zones],
    ...[reserved, volumesOf(info), labels.map((label) => values.get(label) ?? null)],
  ];
  const spot = info.SupportedUsageClasses?.includes('spot') ?? false;
  const [devices, others] = [true, false].map((isDevice) => counts(capacity, (name) => DEVICES.has(name) === isDevice));
  const rest = [spot, devices, others];
  if (Object.keys(others ?? {}).length > 0) return [...row, ...rest];
  if (Object.keys(devices ?? {}).length > 0) return [...row, ...rest.slice(0, 2)];
  return spot ? row : [...row, spot];
}

/** Volumes that can be attached beside the one that the machine starts from. */
function volumesOf({ EbsInfo }: InstanceTypeInfo): number {
  return (EbsInfo?.MaximumEbsAttachments ?? 1) - 1;
}

/** Resources beyond the basic ones that there are any of. */
function counts(capacity: InstanceType['capacity'], isWanted: (name: string) => boolean): Record<string, number> {
  return Object.fromEntries(
    Object.entries(capacity)
      .filter(([name, milli]) => !BASIC.has(name) && milli > 0 && isWanted(name))
      .map(([name, milli]) => [name, milli / 1000]),
  );
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
