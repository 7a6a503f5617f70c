import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { schemaErrors } from '../support/json-schema.ts';
import { cli } from '../support/run-cli.ts';

const SAVED = ['--from', 'examples/saved-cluster', '--now', '2026-03-01T12:00:00Z'];
const EC2 = ['--from', 'examples/saved-ec2-cluster', '--now', '2026-03-01T12:00:00Z'];

it.each([
  ['VersionReport', ['version', '--client']],
  ['DoctorReport', ['doctor']],
  ['PlanReport', ['plan', ...SAVED]],
  ['PlanDiffReport', ['plan', '--diff', '-f', 'examples/edited-pool.yaml', ...SAVED]],
  ['DisruptionReport', ['consolidate', '--dry-run', ...SAVED]],
  ['StatusReport', ['status', ...SAVED]],
  ['PodExplanation', ['explain', 'pod', 'arm-build', ...SAVED]],
  ['PodExplanation', ['explain', 'pod', 'web-4', ...SAVED]],
  ['OfferingsReport', ['offerings', '--instance-type', 'c-1x-*', ...SAVED]],
  ['OfferingsReport', ['offerings', '--pod', 'web-4', ...SAVED]],
  ['NodeExplanation', ['explain', 'node', 'batch-1', ...SAVED]],
  ['NodeExplanation', ['explain', 'node', 'general-1', ...SAVED]],
  ['NodeClaimExplanation', ['explain', 'nodeclaim', 'general-1', ...SAVED]],
  ['NodeClassExplanation', ['explain', 'nodeclass', 'default', ...EC2]],
  ['NodePoolExplanation', ['explain', 'nodepool', 'general', ...SAVED]],
])('a %s is as its schema says: %j', async (kind, args) => {
  await using program = await cli();
  const { stdout } = await program.run([...args, '-o', 'json']);
  const schema = JSON.parse(await readFile(`schemas/${kind}.json`, 'utf8')) as Parameters<typeof schemaErrors>[0];
  expect(schemaErrors(schema, JSON.parse(stdout))).toEqual([]);
});

it('schemas/ is what hack/generate-schemas.ts writes', async () => {
  const node = 'node_modules/node/bin/node';
  await promisify(execFile)(node, ['hack/generate-schemas.ts', '--check']);
});
