import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { cli } from '../support/run-cli.ts';

test('--print-rbac writes manifests for the named account, with the reason above each rule', async () => {
  await using program = await cli();
  const args = ['controller', '--print-rbac', '-n', 'infra', '--service-account', 'scaler'];
  const { code, stdout, stderr } = await program.run([...args, '--feature-gates', 'CapacityBuffer=true']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const objects = parseAllDocuments(stdout).map((document) => document.toJS());
  expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name])).toEqual([
    ['ServiceAccount', 'infra', 'scaler'],
    ['ClusterRole', undefined, 'scaler'],
    ['ClusterRoleBinding', undefined, 'scaler'],
    ['Role', 'infra', 'scaler'],
    ['RoleBinding', 'infra', 'scaler'],
  ]);
  expect(objects[2].subjects).toEqual([{ kind: 'ServiceAccount', name: 'scaler', namespace: 'infra' }]);
  const reasons = stdout.match(/^ *(- )?# /gm) ?? [];
  expect(reasons).toHaveLength(objects[1].rules.length + objects[3].rules.length);
  expect(stdout).toMatch(/# CapacityBuffer: room to keep free/);
  expect(stdout).not.toMatch(/[&*]a\d/);
});

test('10.1: the help page tells what counts without a flag and without its variable', async () => {
  await using program = await cli();
  const { stdout } = await program.run(['controller', '--help']);
  expect(stdout).toMatch(/--metrics-port=PORT .*\(default 8080\)$/m);
  expect(stdout).toMatch(/--batch-max-duration=DURATION .*\(default 10s\)$/m);
  expect(stdout).toMatch(/--disable-controller-warmup=BOOL .*\(default true\)$/m);
});

test('--print-crds writes the definition of every kind that the controller may need', async () => {
  await using program = await cli();
  const { code, stdout } = await program.run(['controller', '--print-crds']);
  const objects = parseAllDocuments(stdout).map((document) => document.toJS());
  expect([code, ...objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)]).toEqual([
    0,
    'CustomResourceDefinition nodepools.karpenter.sh',
    'CustomResourceDefinition nodeclaims.karpenter.sh',
    'CustomResourceDefinition nodeoverlays.karpenter.sh',
    'CustomResourceDefinition capacitybuffers.autoscaling.x-k8s.io',
    'CustomResourceDefinition kwoknodeclasses.karpenter.kwok.sh',
  ]);
});

test('10.1: a malformed option aborts with upstream’s words, whether by flag or by variable', async () => {
  await using program = await cli();
  const byFlag = await program.run(['controller', '--metrics-port', 'http']);
  expect([byFlag.code, byFlag.stderr]).toEqual([2, expect.stringContaining('parsing flags, invalid value "http"')]);
  const byVariable = await program.run(['controller'], { env: { LOG_LEVEL: 'loud' } });
  expect([byVariable.code, byVariable.stderr]).toEqual([2, expect.stringContaining('invalid LOG_LEVEL "loud"')]);
});

test('10.1: flags are taken as Go takes them: one dash, and a boolean without a value', async () => {
  await using program = await cli();
  const args = ['controller', '--print-rbac', '-feature-gates=CapacityBuffer=true', '--disable-leader-election'];
  const { code, stdout } = await program.run([...args, '-n', 'infra']);
  expect([code, stdout.includes('capacitybuffers'), stdout.includes('leases')]).toEqual([0, true, false]);
});

test('10.4: there is no --scheduler-config', async () => {
  await using program = await cli();
  const { code, stderr } = await program.run(['controller', '--scheduler-config', 'x']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('unknown flag: --scheduler-config')]);
});

test('10.6: instance types may be named by --instance-types-file-path or its variable', async () => {
  await using program = await cli();
  const byFlag = await program.run(['controller', '--instance-types-file-path', '/no/such/flag']);
  const byVariable = await program.run(['controller'], { env: { INSTANCE_TYPES_FILE_PATH: '/no/such/variable' } });
  expect(byFlag.stderr).toContain('/no/such/flag');
  expect(byVariable.stderr).toContain('/no/such/variable');
});

test('2: the EC2 provider says all that is wrong with its options, by flag or by variable, before it connects', async () => {
  await using program = await cli();
  const run = async (args: readonly string[], env = {}) => {
    const { code, stderr } = await program.run(['controller', '--provider', 'aws', ...args], { env });
    return [code, stderr.split('\n')[0]?.replace(/^error: /, '')];
  };
  expect(await run(['-isolated-vpc', '--reserved-enis', '-1'])).toEqual([
    2,
    expect.stringContaining('validating options, reserved-enis cannot be negative; missing field, cluster-name'),
  ]);
  expect(await run([], { CLUSTER_NAME: 'demo', CLUSTER_ENDPOINT: 'nowhere' })).toEqual([
    2,
    expect.stringContaining('validating options, cluster endpoint URL is not valid (cluster-endpoint=nowhere)'),
  ]);
  expect(await run(['--isolated-vpc=yes'])).toEqual([2, expect.stringContaining('invalid boolean value "yes"')]);
  const { code, stderr } = await program.run(['controller', '--cluster-name', 'demo']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--cluster-name is an option of --provider aws')]);
});

test('4: with the EC2 provider come its definition and its rights', async () => {
  await using program = await cli();
  const crds = await program.run(['controller', '--provider', 'aws', '--print-crds']);
  const names = parseAllDocuments(crds.stdout).map((document) => document.toJS().metadata.name);
  expect(names).toContain('ec2nodeclasses.karpenter.k8s.aws');
  expect(names).not.toContain('kwoknodeclasses.karpenter.kwok.sh');
  const rbac = await program.run(['controller', '--provider', 'aws', '--print-rbac', '-n', 'infra']);
  expect(rbac.stdout).toContain('ec2nodeclasses/status');
});
