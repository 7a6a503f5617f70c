import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OfferingsReport } from '../../src/explain/offerings-report.ts';
import type { PlanReport } from '../../src/explain/plan-report.ts';
import { cli } from '../support/run-cli.ts';

const EXAMPLE = 'examples/saved-ec2-cluster';
const SAVED = ['--from', EXAMPLE, '--now', '2026-03-01T12:00:00Z'];

/** What the pool `general` can buy of a type, with the class `default` changed in its text. */
async function offeredWith(change: (classes: string) => string, instanceType: string) {
  await using program = await cli();
  const file = join(program.home, 'classes.yaml');
  await writeFile(file, change(await readFile(join(EXAMPLE, 'node-classes.yaml'), 'utf8')));
  const command = ['offerings', '--nodepool', 'general', '--instance-type', instanceType, '-o', 'json', '-q'];
  const { stdout } = await program.run([...command, ...SAVED, '--from', file]);
  const { pools } = JSON.parse(stdout) as OfferingsReport;
  return pools[0]?.instanceTypes[0] ?? expect.fail('no such type');
}

/** Of an account that nobody answers for. */
const CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'a',
  AWS_SECRET_ACCESS_KEY: 'b',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  AWS_MAX_ATTEMPTS: '1',
};

test('a saved cluster on EC2 is reckoned with EC2’s types at list prices, and AWS is not asked', async () => {
  await using program = await cli();
  const { stdout, stderr } = await program.run(['status', ...SAVED], { env: CREDENTIALS });
  expect(stdout).toMatch(/^general +True +3 +2 on-demand, 1 spot .*\$0\.4\d+\/h/m);
  expect(stderr.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(/^EC2's types and list prices are the program's own \(us-east-1, .*--catalog aws asks AWS$/),
    'nothing can be bought with EC2NodeClass gpu: no subnets found',
  ]);
});

test('pods that wait get EC2’s types, by labels that EC2’s nodes have, in the zones of the class', async () => {
  await using program = await cli();
  const { stdout } = await program.run(['plan', '-o', 'json', '-q', ...SAVED]);
  const { newNodeClaims, podErrors } = JSON.parse(stdout) as PlanReport;
  const types = newNodeClaims.flatMap(({ instanceTypes }) => instanceTypes);
  expect(newNodeClaims.flatMap(({ pods }) => pods).sort()).toEqual(['shop/batch-1', 'shop/search-2']);
  expect(types.every((type) => /^[cmr][6-9][a-z-]*\./.test(type))).toBe(true);
  expect(newNodeClaims[0]?.offers[0]?.zones.every((zone) => /^us-east-1[abc]$/.test(zone))).toBe(true);
  expect(Object.keys(podErrors)).toEqual(['shop/train-1']);
});

test('types leave to pods what the kubelet settings and volumes of the class leave them', async () => {
  const settings = '  kubelet: {maxPods: 12, systemReserved: {cpu: 500m}}\n  role: KarpenterNodeRole-shop\n';
  const tuned = (text: string) => text.replace(/ {2}role: .*\n/, settings).replace('50Gi', '100Gi');
  const { allocatable } = await offeredWith(tuned, 'm7g.large');
  // Of 2 CPUs the kubelet keeps 70m; of 100 GiB it keeps one, and a tenth stays free.
  expect(allocatable).toMatchObject({ cpu: '1430m', pods: '12', 'ephemeral-storage': '89Gi' });
});

test('what the controller wrote down as sold out is not on sale, until its time', async () => {
  const ended = (text: string) =>
    text.replace('@2026-03-01T12:02:10Z', '$&,m7g.large/us-east-1c/spot@2026-03-01T12:00:00Z');
  const { offerings } = await offeredWith(ended, 'm7g.large');
  expect(offerings.filter(({ available }) => !available)).toEqual([
    expect.objectContaining({ zone: 'us-east-1b', capacityType: 'spot', soldOutUntil: '2026-03-01T12:02:10.000Z' }),
  ]);
  expect(offerings).toHaveLength(6);
});

test('a wide list names devices that a type has, and none that it lacks', async () => {
  await using program = await cli();
  const args = ['offerings', '--nodepool', 'general', '--instance-type', 'm7g.large', '-o', 'wide', '-q'];
  const { stdout } = await program.run([...args, ...SAVED]);
  expect(stdout).toMatch(/^ {2}m7g\.large .*vpc\.amazonaws\.com\/pod-eni \d+ +spot us-east-1b for 2m10s$/m);
  expect(stdout).not.toContain('nvidia.com/gpu');
});

test('a node class is told with what it has found, who uses it and what has drifted from it', async () => {
  await using program = await cli();
  const { stdout } = await program.run(['explain', 'nodeclass', 'default', ...SAVED, '-q']);
  expect(stdout).toMatch(/^ec2nodeclass\/default {2}ready, 3 nodes\n {2}used by {2}nodepool\/general \(3 nodes\)$/m);
  expect(stdout).toMatch(/^ {2}subnet-0a1f3c5e7b9d20418 +us-east-1a +use1-az6 +\?$/m);
  expect(stdout).toMatch(
    /^ {2}ami-0f1e2d3c4b5a69788 {2}amazon-eks-node-al2023-arm64.*\n {6}for \d+ types: arch In \[arm64\]$/m,
  );
  expect(stdout).toMatch(/^ {2}cr-0d9c8b7a6f5e43210 +r7i.2xlarge +us-east-1c +\? +in 29d /m);
  expect(stdout).toMatch(/^ {2}m7g.large\/us-east-1b\/spot +in 2m10s$/m);
  expect(stdout).toMatch(
    /^ {2}nodeclaim\/general-zt6bd {2}AMIDrift for 149m.*\n {6}it runs ami-0717263544556677a, a new r6i.large gets/m,
  );
  expect(stdout).toContain('? is known to AWS only: --catalog aws asks it');
});

test('a node class that is not ready is told with the next step, and exits 3 when asked to', async () => {
  await using program = await cli();
  const { code, stdout } = await program.run(['explain', 'ec2nc/gpu', ...SAVED, '-q', '--exit-code']);
  expect(code).toBe(3);
  expect(stdout).toContain('x nothing can be bought with it: no subnets found');
  expect(stdout).toContain(
    "look at  aws ec2 describe-subnets --filters 'Name=tag:karpenter.sh/discovery,Values=shop-gpu'",
  );
});

test('a pool alone, written for EC2, can be tried without a class, and with a region of its own', async () => {
  await using program = await cli();
  const args = ['offerings', '--from', join(EXAMPLE, 'node-pools.yaml'), '--nodepool', 'general'];
  const { stdout, stderr } = await program.run([...args, '--instance-type', 'm7i.large']);
  expect(stdout).toMatch(/^ {2}m7i\.large .*us-east-1a,b/m);
  expect(stderr).toContain('no controller has looked at EC2NodeClass default, gpu');
  const elsewhere = await program.run([...args, '--region', 'eu-west-1']);
  expect(elsewhere.stderr).toContain('for want of those of eu-west-1');
});

test('that AWS can’t be asked is an error when it was to be asked', async () => {
  await using program = await cli();
  const { code, stderr } = await program.run(['plan', ...SAVED, '--catalog', 'aws'], { env: CREDENTIALS });
  expect(code).toBe(1);
  expect(stderr).toContain("error: AWS can't be asked what EC2 sells");
  expect(stderr).toContain('--catalog ec2:us-east-1, to reckon without AWS');
});
