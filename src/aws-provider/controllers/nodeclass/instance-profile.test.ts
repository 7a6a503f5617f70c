import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { NodeClassApi, NodeClassWorld } from '../../../../test/aws/node-class-world.ts';
import { awsError } from '../../../../test/aws/scripted-api.ts';
import { nodeClaim } from '../../../../test/factories/index.ts';
import { NodeClaims } from '../../../kube/resources.ts';
import { AWS_GROUP, Ec2NodeClasses } from '../../apis/ec2-node-class.ts';
import { legacyInstanceProfileName } from '../../apis/hash/instance-profile-name.ts';

const MINUTE = 60_000;

let api: NodeClassApi;
let world: NodeClassWorld;
beforeAll(async () => {
  api = await NodeClassApi.open();
});
afterAll(async () => await api.close());
beforeEach(async () => {
  world = await NodeClassWorld.open(api);
});
afterEach(async () => await world.close());

const named = async (): Promise<string> => (await world.nodeClass()).status?.instanceProfile ?? '';
const profiles = () => world.aws.cloud.profiles;
const roleOf = (name: string) => profiles().get(name)?.Roles?.[0]?.RoleName;
const made = () => world.aws.calls.inputs<{ InstanceProfileName: string }>('createInstanceProfile');

describe('13: a class with a role', () => {
  test('gets a profile of its own, tagged as the policies want it', async () => {
    const { metadata } = await world.create({ spec: { tags: { team: 'a' } } });
    const name = await named();
    expect(name).toMatch(/^test-cluster_\d+$/);
    expect(await world.condition('InstanceProfileReady')).toMatchObject({ status: 'True' });
    const { Path, Tags } = profiles().get(name) ?? {};
    expect(Path).toBe(`/karpenter/us-west-2/test-cluster/${metadata.uid}/`);
    expect(Object.fromEntries((Tags ?? []).map(({ Key, Value }) => [Key, Value]))).toEqual({
      team: 'a',
      'kubernetes.io/cluster/test-cluster': 'owned',
      'eks:eks-cluster-name': 'test-cluster',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
      'topology.kubernetes.io/region': 'us-west-2',
    });
    expect(roleOf(name)).toBe('test-role');
    await world.clock.advance(60 * MINUTE);
    expect(made()).toHaveLength(1);
  });

  test('gets another for another role, and the old one is protected for an hour', async () => {
    await world.create();
    const before = await named();
    // Since it was made it is no longer protected.
    await world.clock.advance(61 * MINUTE);
    expect(world.profiles.isProtected(before)).toBe(false);
    await world.edit({ role: 'other-role' });
    const after = await named();
    expect(after).not.toBe(before);
    expect([roleOf(before), roleOf(after)]).toEqual(['test-role', 'other-role']);
    expect([world.profiles.isProtected(before), world.profiles.isProtected(after)]).toEqual([true, true]);
  });

  test('gets another when somebody has deleted it', async () => {
    await world.create();
    const before = await named();
    profiles().clear();
    await world.clock.advance(16 * MINUTE);
    expect(await named()).not.toBe(before);
    expect(roleOf(await named())).toBe('test-role');
  });

  test('gets none twice though its status was lost, within a minute', async () => {
    await world.create();
    const name = await named();
    const lose = async () => {
      const body = { status: { instanceProfile: null } };
      await world.client.patch(Ec2NodeClasses, { name: 'default' }, { type: 'merge', body }, { subresource: 'status' });
      await world.clock.settle();
    };
    await world.clock.advance(58_000);
    await lose();
    expect(await named()).toBe(name);
    expect(made()).toHaveLength(1);
    await world.clock.advance(2000);
    await lose();
    expect(await named()).not.toBe(name);
  });

  test('keeps it when the role is named with its path', async () => {
    await world.create({ spec: { role: 'path/to/test-role' } });
    expect(roleOf(await named())).toBe('test-role');
    await world.clock.advance(60 * MINUTE);
    expect(made()).toHaveLength(1);
  });

  test('is left without one when it can’t be made, and nothing stays behind', async () => {
    world.aws.cloud.roles = new Set();
    await world.create();
    expect(await world.condition('InstanceProfileReady')).toMatchObject({ status: 'Unknown' });
    expect(world.reconciled.find(({ result }) => result === 'error')?.error).toMatchObject({
      message: expect.stringMatching(
        /^creating instance profile, (?:role not found, )?adding role test-role to instance profile test-cluster_\d+, The role with name test-role cannot be found\.$/,
      ),
    });
    expect(profiles().size).toBe(0);
    await world.clock.advance(50_000);
    expect(made()).toHaveLength(1);
    world.aws.cloud.roles.add('test-role');
    await world.clock.advance(2 * MINUTE);
    expect(roleOf(await named())).toBe('test-role');
  });

  test('is told what is missing when IAM does not let us look', async () => {
    await world.create();
    world.aws.calls.fail('getInstanceProfile', awsError('AccessDenied', 'no', 403));
    await world.clock.advance(16 * MINUTE);
    const missing =
      'issing permission: iam:GetInstanceProfile, granted by statement AllowInstanceProfileReadActions (KarpenterControllerResourceDiscoveryPolicy)';
    expect(world.reconciled.find(({ result }) => result === 'error')?.error).toMatchObject({
      message: `getting instance profile ${await named()}, no; m${missing}`,
    });
    expect(world.events[0]).toMatchObject({ type: 'Warning', reason: 'Unauthorized', message: `M${missing}` });
  });
});

test('13: a class with a profile uses that, and its former one is protected', async () => {
  await world.create();
  const before = await named();
  await world.clock.advance(2 * 60 * MINUTE);
  expect(world.profiles.isProtected(before)).toBe(false);
  await world.edit({ role: null, instanceProfile: 'mine' });
  expect(await named()).toBe('mine');
  expect(world.profiles.isProtected(before)).toBe(true);
  expect(await world.condition('InstanceProfileReady')).toMatchObject({ status: 'True' });
});

describe('6: a class that is deleted', () => {
  const claim = (name: string) =>
    nodeClaim({
      metadata: { name },
      spec: {
        nodeClassRef: { group: AWS_GROUP, kind: 'EC2NodeClass', name: 'default' },
        requirements: [{ key: 'kubernetes.io/arch', operator: 'Exists' }],
      },
    });
  const exists = async (): Promise<boolean> => (await world.client.list(Ec2NodeClasses)).items.length > 0;

  test('waits for its claims, and says so from time to time', async () => {
    await world.create();
    for (let index = 1; index <= 7; index++) await world.client.create(NodeClaims, claim(`claim-${index}`));
    await world.clock.settle();
    await world.delete();
    expect(world.events.map(({ type, reason, message }) => [type, reason, message])).toEqual([
      [
        'Normal',
        'WaitingOnNodeClaimTermination',
        'Waiting on NodeClaim termination for claim-1, claim-2, claim-3, claim-4, claim-5 and 2 other(s)',
      ],
    ]);
    // What was to be looked at a minute after its last reconciliation still is.
    await world.clock.advance(MINUTE);
    expect(world.events).toHaveLength(2);
    await world.clock.advance(10 * MINUTE - 1000);
    expect(world.events).toHaveLength(2);
    await world.clock.advance(1000);
    expect(world.events).toHaveLength(3);
    expect(profiles().size).toBe(1);
    for (let index = 1; index <= 7; index++) await world.client.delete(NodeClaims, { name: `claim-${index}` });
    await world.clock.settle();
    expect(await exists()).toBe(false);
  });

  test('takes its profiles and launch templates with it', async () => {
    const { metadata } = await world.create();
    await world.edit({ role: 'other-role' });
    const legacy = legacyInstanceProfileName('default', 'test-cluster', 'us-west-2');
    await world.aws.apis.iam.createInstanceProfile({ InstanceProfileName: legacy });
    await world.aws.apis.iam.createInstanceProfile({
      InstanceProfileName: 'of-another',
      Path: `/karpenter/us-west-2/test-cluster/${metadata.uid}x/`,
    });
    expect(profiles().size).toBe(4);
    await world.delete();
    expect([...profiles().keys()]).toEqual(['of-another']);
    expect(world.findings.cleaned).toEqual(['default']);
    expect(await exists()).toBe(false);
  });

  test('leaves profiles alone in an isolated VPC', async () => {
    await world.close();
    world = await NodeClassWorld.open(api, { isolatedVPC: true });
    await world.create();
    world.aws.calls.clear();
    await world.delete();
    expect(world.aws.calls.all.map(({ name }) => name)).toEqual([]);
    expect(world.findings.cleaned).toEqual(['default']);
    expect(await exists()).toBe(false);
  });

  test('has no legacy profile when that could not have such a name', async () => {
    await world.close();
    world = await NodeClassWorld.open(api, { clusterName: 'c'.repeat(120) });
    await world.create();
    world.aws.calls.clear();
    await world.delete();
    expect(world.aws.calls.inputs('getInstanceProfile')).toHaveLength(1);
    expect(await exists()).toBe(false);
  });

  test.each([
    ['listInstanceProfiles', 'no'],
    ['deleteInstanceProfile', /^deleting instance profile \(instance-profile=test-cluster_\d+\), .*no$/],
    ['deleteAll', 'deleting launch templates, no'],
  ])('stays while %s fails', async (call, message) => {
    await world.create();
    const error = awsError('InternalError', 'no', 500);
    if (call === 'deleteAll') world.findings.fail(call, error);
    else world.aws.calls.fail(call, error);
    await world.delete();
    expect(await exists()).toBe(true);
    const { error: told } = world.reconciled.find(({ result }) => result === 'error') ?? {};
    expect((told as Error).message).toMatch(message);
    world.findings.errors.clear();
    world.aws.calls.succeed(call);
    await world.clock.advance(MINUTE);
    expect(await exists()).toBe(false);
  });

  test('is forgotten by the validation: one of the same name is validated anew', async () => {
    await world.create();
    await world.delete();
    const asked = world.findings.launches.length;
    await world.create();
    expect(world.findings.launches.length).toBeGreaterThan(asked);
  });
});
