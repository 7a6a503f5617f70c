/**
 * Writes src/aws-provider/data/instance-types.generated.json: all types that EC2 has, each with the fields of DescribeInstanceTypes'
 * answer that the EC2 provider reads, packed; from the Python package moto. `--check` compares instead, and fails where the
 * file is stale. Needs pip; without it, says so.
 *
 *   node hack/generate-ec2-types.ts [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { withMoto } from './moto-package.ts';
import { MOTO } from './python-packages.ts';

type Json = Readonly<Record<string, unknown>>;
/** Which fields of an object, or of each object of a list: whole ones, or parts of them. */
interface Fields {
  readonly [name: string]: true | Fields;
}

const FIELDS: Fields = {
  InstanceType: true,
  BareMetal: true,
  Hypervisor: true,
  SupportedUsageClasses: true,
  NitroEnclavesSupport: true,
  VCpuInfo: { DefaultVCpus: true },
  MemoryInfo: true,
  ProcessorInfo: true,
  PlacementGroupInfo: true,
  GpuInfo: true,
  NeuronInfo: true,
  InferenceAcceleratorInfo: true,
  InstanceStorageInfo: { TotalSizeInGB: true, NvmeSupport: true },
  EbsInfo: { EbsOptimizedSupport: true, EbsOptimizedInfo: { MaximumBandwidthInMbps: true } },
  NetworkInfo: {
    EnaSupport: true,
    EncryptionInTransitSupported: true,
    DefaultNetworkCardIndex: true,
    Ipv4AddressesPerInterface: true,
    EfaInfo: true,
    NetworkCards: { NetworkCardIndex: true, MaximumNetworkInterfaces: true },
  },
};
const ARCHITECTURES: ReadonlySet<unknown> = new Set(['x86_64', 'arm64']);

const target = fileURLToPath(new URL('../src/aws-provider/data/instance-types.generated.json', import.meta.url));

/** Exit status: 0 done or the same, 1 stale or failed. */
function main(): number {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  return withMoto('generate-ec2-types', values.check, (resources) => {
    const text = typesOf(join(resources, 'instance_types.json.gz'));
    if (!values.check) writeFileSync(target, `${JSON.stringify({ source: MOTO, packed: pack(text) })}\n`);
    else if (unpack(JSON.parse(readFileSync(target, 'utf8')).packed) !== text) {
      console.error(`generate-ec2-types: ${target} is stale; run \`node hack/generate-ec2-types.ts\``);
      return 1;
    }
    return 0;
  });
}

/** Those that EC2 answers to the provider's filters, by name. */
function typesOf(file: string): string {
  const types: Readonly<Record<string, Json>> = JSON.parse(gunzipSync(readFileSync(file)).toString());
  const rows = Object.keys(types)
    .sort()
    .flatMap((name) => (types[name] && isLaunchable(types[name]) ? [JSON.stringify(pick(types[name], FIELDS))] : []));
  return `[\n${rows.join(',\n')}\n]\n`;
}

const pack = (text: string): string => gzipSync(text, { level: 9 }).toString('base64');
const unpack = (packed: string): string => gunzipSync(Buffer.from(packed, 'base64')).toString();

function isLaunchable(type: Json): boolean {
  const { SupportedArchitectures } = type.ProcessorInfo as { SupportedArchitectures: readonly string[] };
  const virtualization = type.SupportedVirtualizationTypes as readonly string[];
  return virtualization.includes('hvm') && SupportedArchitectures.some((name) => ARCHITECTURES.has(name));
}

function pick(value: unknown, fields: true | Fields): unknown {
  if (fields === true) return value;
  if (Array.isArray(value)) return value.map((item) => pick(item, fields));
  const object = value as Json;
  const picked = Object.entries(fields).flatMap(([name, inner]) =>
    object[name] === undefined ? [] : [[name, pick(object[name], inner)]],
  );
  return Object.fromEntries(picked);
}

process.exitCode = main();
