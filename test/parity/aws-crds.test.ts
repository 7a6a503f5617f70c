import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { awsDefinitions } from '../../src/aws-provider/apis/crd/index.ts';
import { type Definition, namesOf, withoutTexts } from './definitions.ts';

const moduleFolder = fileURLToPath(new URL('../e2e/karpenter-aws', import.meta.url));

/** The sources of upstream's provider, in Go's cache of modules. Undefined without Go. */
function upstreamSources(): string | undefined {
  const { status, stdout } = spawnSync('go', ['mod', 'download', '-json', 'github.com/aws/karpenter-provider-aws'], {
    cwd: moduleFolder,
    encoding: 'utf8',
  });
  return status === 0 ? (JSON.parse(stdout) as { readonly Dir: string }).Dir : undefined;
}

const sources = upstreamSources();

/** Upstream v1.14.1 lists the kubelet's fields one by one, where ours take any (aws-provider.md section 5). */
function withoutKubelet(definition: Definition | undefined): unknown {
  const spec = structuredClone(withoutTexts(definition?.spec)) as {
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
  for (const { schema } of spec.versions) delete schema.openAPIV3Schema.properties?.spec?.properties?.kubelet;
  return spec;
}

interface Schema {
  readonly properties?: Record<string, Schema>;
}

describe.skipIf(sources === undefined)('our definitions for EC2', () => {
  const folder = join(sources ?? '', 'pkg/apis/crds');
  const files = sources === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const upstream = files.map((name) => parse(readFileSync(join(folder, name), 'utf8')) as Definition);
  const ours: readonly Definition[] = awsDefinitions();

  it('are the ones upstream has', () => {
    expect(namesOf(ours)).toEqual(namesOf(upstream));
  });

  it.each(ours.map((definition) => [definition.metadata.name, definition] as const))(
    'have the fields, defaults and rules of upstream: %s',
    (name, definition) => {
      const theirs = upstream.find(({ metadata }) => metadata.name === name);
      expect(withoutKubelet(definition)).toEqual(withoutKubelet(theirs));
    },
  );
});
