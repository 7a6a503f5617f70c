/**
 * Writes src/aws-provider/data/*.generated.json: what Karpenter's EC2 provider knows of EC2 without asking it. Network bandwidth,
 * the addresses and branch interfaces of a type's network interfaces, and on-demand list prices for when there are no newer
 * ones. `--check` compares instead, and fails where a file is stale. Needs Go and python3; without them, says so.
 *
 *   node hack/generate-ec2-data.ts [--check]
 *
 * AWS publishes branch interfaces nowhere, and prices only for those who have an account: the numbers are those that upstream
 * gathers and ships in the Go module below, so newer ones are had by naming a newer version. Only numbers are read from it.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const MODULE = 'github.com/aws/karpenter-provider-aws';
const VERSION = 'v1.15.0';
const PRICES = ['aws', 'aws_cn', 'aws_us_gov'];
/** Fewer rows than this are no table: the module's files have another form than is expected. */
const FEWEST = { bandwidth: 1300, limits: 1300, regions: 4 };

const NUMBER = /"([\w.-]+)":\s*(\d+(?:\.\d+)?),/g;
const BLOCK = /\n\t"([\w.-]+)": \{(.*?)\n\t\},/gs;

const folder = fileURLToPath(new URL('../src/aws-provider/data/', import.meta.url));

/** Exit status: 0 done or the same, 1 stale or failed; a module that can't be had only leaves the check out, except where CI=true. */
function main(): number {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const unpacked = mkdtempSync(join(tmpdir(), 'ec2-data-'));
  try {
    const module = unpack(unpacked);
    if ('problem' in module) {
      console.error(`generate-ec2-data: left out, can't have ${MODULE}@${VERSION} (${module.problem})`);
      return values.check && process.env.CI !== 'true' ? 0 : 1;
    }
    const files = tables(join(unpacked, `${MODULE}@${VERSION}`, 'pkg', 'providers'), module.publishedAt);
    const stale = Object.entries(files).filter(([name, text]) => {
      if (!values.check) writeFileSync(join(folder, name), text);
      return values.check && readFileSync(join(folder, name), 'utf8') !== text;
    });
    for (const [name] of stale) {
      console.error(`generate-ec2-data: ${name} is stale; run \`node hack/generate-ec2-data.ts\``);
    }
    return stale.length === 0 ? 0 : 1;
  } finally {
    rmSync(unpacked, { recursive: true });
  }
}

/** Has Go download the module, and unpacks it. */
function unpack(target: string): { readonly publishedAt: string } | { readonly problem: string } {
  const go = spawnSync('go', ['mod', 'download', '-json', `${MODULE}@${VERSION}`], { encoding: 'utf8' });
  if (go.error) return { problem: go.error.message };
  // A Go that is too old to build the module refuses it, having downloaded it all the same.
  const { Zip, Info, Error: refusal } = JSON.parse(go.stdout || '{}');
  if (Zip === undefined || Info === undefined) return { problem: refusal ?? go.stderr.trim() };
  const python = spawnSync('python3', ['-m', 'zipfile', '-e', Zip, target], { encoding: 'utf8' });
  if (python.status !== 0) return { problem: python.error?.message ?? python.stderr.trim() };
  return { publishedAt: JSON.parse(readFileSync(Info, 'utf8')).Time.slice(0, 10) };
}

/** @param publishedAt the day of the version, for the table that tells none of its own. */
function tables(providers: string, publishedAt: string): Readonly<Record<string, string>> {
  const read = (...path: string[]): string => readFileSync(join(providers, ...path), 'utf8');
  const bandwidth = numbers(read('instancetype', 'zz_generated.bandwidth.go'));
  const limitsText = read('instancetype', 'zz_generated.vpclimits.go');
  const limits = Object.fromEntries(blocks(limitsText).map(([name, body]) => [name, limitsOf(body)]));
  const prices = PRICES.map((part) => read('pricing', `zz_generated.pricing_${part}.go`)).flatMap((text) =>
    blocks(text).map(([region, body]) => ({ region, asOf: dateOf(text), prices: numbers(body) })),
  );
  const counts = {
    bandwidth: Object.keys(bandwidth).length,
    limits: Object.keys(limits).length,
    regions: prices.length,
  };
  for (const [what, least] of Object.entries(FEWEST)) {
    const count = counts[what as keyof typeof counts];
    if (count < least) throw new Error(`only ${count} rows of ${what} in ${MODULE}@${VERSION}`);
  }
  const source = `${MODULE} ${VERSION}`;
  return {
    'network-bandwidth.generated.json': rows({ source, asOf: publishedAt }, 'megabits', bandwidth),
    'network-limits.generated.json': rows({ source, asOf: dateOf(limitsText) }, 'types', limits),
    'on-demand-prices.generated.json': `{"source":${JSON.stringify(source)},"regions":{\n${prices
      .map(({ region, asOf, prices }) => `${JSON.stringify(region)}:${rows({ asOf }, 'prices', prices).trimEnd()}`)
      .join(',\n')}\n}}\n`,
  };
}

/** `[addresses of an interface, branch interfaces]`; only of types that can trunk are there any of the latter. */
function limitsOf(body: string): readonly number[] {
  const field = (name: string): string => {
    const value = new RegExp(`\\b${name}:\\s*(\\w+),`).exec(body)?.[1];
    if (value === undefined) throw new Error(`no ${name} in ${body}`);
    return value;
  };
  const branches = field('IsTrunkingCompatible') === 'true' ? Number(field('BranchInterface')) : 0;
  return [Number(field('IPv4PerInterface')), branches];
}

function numbers(text: string): Readonly<Record<string, number>> {
  return Object.fromEntries([...text.matchAll(NUMBER)].map(([, name, value]) => [name, Number(value)]));
}

function blocks(text: string): readonly (readonly [string, string])[] {
  return [...text.matchAll(BLOCK)].map(([, name = '', body = '']) => [name, body]);
}

/** The day that upstream took the numbers, YYYY-MM-DD. */
function dateOf(text: string): string {
  const day = /generated at (\d{4}-\d{2}-\d{2})T/.exec(text)?.[1];
  if (day === undefined) throw new Error('no date in a table');
  return day;
}

/** JSON with one line for each family of types, so that a change can be read. */
function rows(head: object, name: string, table: Readonly<Record<string, unknown>>): string {
  const families = Map.groupBy(Object.keys(table).sort(), (type) => type.split('.')[0]);
  const lines = [...families.values()].map((types) =>
    types.map((type) => `${JSON.stringify(type)}:${JSON.stringify(table[type])}`).join(','),
  );
  return `${JSON.stringify(head).slice(0, -1)},"${name}":{\n${lines.join(',\n')}\n}}\n`;
}

process.exitCode = main();
