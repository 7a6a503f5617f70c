import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { OfferingsReport } from '../../src/explain/offerings-report.ts';
import { cli } from '../support/run-cli.ts';

const SAVED = ['--from', 'examples/saved-cluster', '--now', '2026-03-01T12:00:00Z'];

async function run(...args: readonly string[]) {
  await using program = await cli();
  return program.run(['offerings', ...SAVED, ...args]);
}

async function report(...args: readonly string[]): Promise<OfferingsReport> {
  return JSON.parse((await run(...args, '-o', 'json', '-q')).stdout) as OfferingsReport;
}

it('lists what each pool can buy, cheapest first, with what the types leave to pods', async () => {
  const { stdout } = await run();
  expect(stdout).toMatch(/^nodepool\/general {2}KWOKNodeClass\/default, 36 types in 144 offerings on sale$/m);
  expect(stdout).toMatch(/^ {2}TYPE +CPU +MEMORY +ON-DEMAND +SPOT +ZONES +PODS$/m);
  expect(stdout).toMatch(/^ {2}c-1x-amd64-linux +0\.9 +1\.99Gi +\$0\.0271\/h +- +test-zone-a,b,c,d +16$/m);
  expect(stdout).toContain('and 21 dearer types: --all');
});

it('keeps to the types that a pod fits, and says which pools give it none', async () => {
  const { pools, pod } = await report('--pod', 'web-4');
  const [general, batch] = pools;
  expect(pod).toBe('default/web-4');
  expect(general).toMatchObject({ nodePool: 'general', fitting: 6, refusals: [] });
  const small = general?.instanceTypes.find(({ instanceType }) => instanceType === 'c-1x-amd64-linux');
  expect(small).toMatchObject({ fits: false, refusedBy: 'size' });
  expect(batch?.refusals.map(({ code }) => code)).toEqual(['TaintNotTolerated']);
  const { stdout } = await run('--pod', 'web-4');
  expect(stdout).toContain('6 types fit default/web-4');
  expect(stdout).not.toContain('c-1x-amd64-linux');
  expect(stdout).toContain('TaintNotTolerated  the pod does not tolerate workload=batch:NoSchedule');
});

it('tells of types by name, and why a pool does not allow them', async () => {
  const { stdout } = await run('--instance-type', 'c-1x-*-linux', '--nodepool', 'general');
  expect(stdout.trimEnd().split('\n').slice(2)).toEqual([
    expect.stringMatching(/^ {2}c-1x-amd64-linux /),
    '  x c-1x-arm64-linux: the pool asks for kubernetes.io/arch In [amd64]',
  ]);
  const unknown = await run('--instance-type', 'c-1x-amd64-linus');
  expect(unknown).toMatchObject({ code: 1, stdout: '' });
  expect(unknown.stderr).toContain('--instance-type c-1x-amd64-linux');
});

it('says what is sold out, and for how long', async () => {
  await using program = await cli();
  const file = join(program.home, 'class.yaml');
  const soldOut = 'c-1x-amd64-linux/test-zone-a/on-demand@2026-03-01T12:02:30Z,s-1x-amd64-linux/*/on-demand';
  const lines = ['apiVersion: karpenter.kwok.sh/v1alpha1', 'kind: KWOKNodeClass', 'metadata:', '  name: default'];
  await writeFile(file, [...lines, '  annotations:', `    karpenter.kwok.sh/sold-out: ${soldOut}`].join('\n'));
  const { stdout } = await program.run(['offerings', ...SAVED, '--from', file, '--nodepool', 'general', '--all', '-q']);
  expect(stdout).toContain('35 types in 139 offerings on sale, 5 offerings not on sale');
  // What nobody can buy comes last.
  expect(stdout.trimEnd().split('\n').at(-2)).toMatch(/^ {2}s-1x-amd64-linux .* none +16$/);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe(
    '  not on sale  c-1x-amd64-linux on-demand test-zone-a for 2m30s, s-1x-amd64-linux on-demand test-zone-a, s-1x-amd64-linux on-demand test-zone-b, and 2 more: -o wide',
  );
});

it('exits 3, when asked to, if nothing fits', async () => {
  const codes = [await run('--pod', 'web-4', '--exit-code'), await run('--pod', 'huge', '--exit-code')];
  expect(codes.map(({ code }) => code)).toEqual([0, 3]);
});
