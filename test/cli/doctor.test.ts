import { expect, test } from 'vitest';
import { cli } from '../support/run-cli.ts';

test('without a cluster it says so, leaves out what it can’t ask, and answers no', async () => {
  await using program = await cli();
  const { code, stdout, stderr } = await program.run(['doctor', '-q']);
  expect([code, stderr]).toEqual([3, '']);
  expect(stdout).toMatch(/^ {2}pass +Node\.js +v24/m);
  expect(stdout).toMatch(/^ {2}fail +context .*can't be used$/m);
  expect(stdout).toMatch(/^ {6}fix {2}kubectl karpenter up --local/m);
  expect(stdout).toMatch(/^ {2}skipped +the rest /m);
  expect(stdout).toMatch(/^\d pass, \d warn, 1 fail, 1 skipped\nNo calls home, /m);
});

test('a server that is away is told with its address', async () => {
  await using program = await cli();
  const { code, stdout } = await program.run(['doctor', '-q', '-o', 'json', '--server', 'http://127.0.0.1:9']);
  const failed = JSON.parse(stdout).findings.filter(({ verdict }: { verdict: string }) => verdict === 'fail');
  expect(code).toBe(3);
  expect(failed).toMatchObject([
    { area: 'Cluster', check: 'API server', message: expect.stringContaining('no answer') },
  ]);
});

test('it takes every option of the controller, and refuses bad ones as that does', async () => {
  await using program = await cli();
  const { code, stderr } = await program.run(['doctor', '--batch-idle-duration', '2s', '--metrics-port', 'http']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('invalid value "http"')]);
});

const NOWHERE = {
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/nowhere',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
};

test('--provider aws names the first thing that is missing, and says what it could not ask', async () => {
  await using program = await cli();
  const args = ['doctor', '-q', '--provider', 'aws', '--cluster-name', 'demo'];
  const noRegion = await program.run(args, { env: NOWHERE });
  expect(noRegion.code).toBe(3);
  expect(noRegion.stdout).toMatch(/^AWS\n {2}fail +region +none to be found\n {6}fix {2}AWS_REGION=NAME/m);
  const noCredentials = await program.run(args, { env: { ...NOWHERE, AWS_REGION: 'eu-west-1' } });
  expect(noCredentials.stdout).toMatch(/^ {2}pass +region +eu-west-1, by AWS_REGION\n {2}fail +credentials /m);
  expect(noCredentials.stdout).toMatch(/^ {2}skipped +the rest +cluster endpoint, queue, /m);
});
