import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeAws, fakeAws } from '../../../../test/aws/fake-ec2.ts';
import { awsError } from '../../../../test/aws/scripted-api.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import { InstanceProfiles } from './instance-profile-provider.ts';
import { profilePath } from './profile-path.ts';

const PATH = profilePath('us-west-2', 'test-cluster', 'uid');
const TAGS = { team: 'a' };
const MINUTE = 60_000;

let clock: VirtualClock;
let aws: FakeAws;
let profiles: InstanceProfiles;

beforeEach(() => {
  clock = new VirtualClock();
  aws = fakeAws(clock);
  profiles = new InstanceProfiles({ iam: aws.apis.iam, clock });
});

const called = (): readonly string[] => aws.calls.all.map(({ name }) => name);
const rolesOf = (name: string) => aws.cloud.profiles.get(name)?.Roles?.map(({ RoleName }) => RoleName);
const create = (role: string, name = 'profile') => profiles.create(name, role, TAGS, PATH);

describe('13: a profile is made', () => {
  test('under the path of its class, with its tags and its role', async () => {
    await create('nodes');
    expect(called()).toEqual(['getInstanceProfile', 'createInstanceProfile', 'addRoleToInstanceProfile']);
    expect(aws.cloud.profiles.get('profile')).toMatchObject({
      Path: '/karpenter/us-west-2/test-cluster/uid/',
      Tags: [{ Key: 'team', Value: 'a' }],
    });
    expect(rolesOf('profile')).toEqual(['nodes']);
  });

  test('with the name of the role only, when that has a path', async () => {
    await create('some/path/nodes');
    expect(rolesOf('profile')).toEqual(['nodes']);
  });

  test('out of one that is there already, whose other role goes first', async () => {
    await create('nodes');
    await create('others');
    expect(rolesOf('profile')).toEqual(['others']);
    aws.calls.clear();
    await create('others');
    expect(called()).toEqual([]);
  });
});

describe('13: a role that does not exist', () => {
  beforeEach(() => {
    aws.cloud.roles = new Set(['others']);
  });

  test('is remembered for a minute, so that no profile is made in vain', async () => {
    await expect(create('path/nodes')).rejects.toThrow('The role with name nodes cannot be found.');
    aws.calls.clear();
    await expect(create('path/nodes', 'next')).rejects.toThrow('role not found');
    expect(called()).toEqual([]);
    await create('others', 'other');
    aws.cloud.roles?.add('nodes');
    await clock.advance(MINUTE + 1);
    await create('path/nodes', 'next');
    expect(rolesOf('next')).toEqual(['nodes']);
  });

  test('is not meant when the profile itself is not found', async () => {
    aws.calls.fail('addRoleToInstanceProfile', awsError('NoSuchEntity', 'Instance Profile x cannot be found.'), 1);
    await expect(create('others')).rejects.toThrow('cannot be found');
    await create('others');
    expect(rolesOf('profile')).toEqual(['others']);
  });
});

describe('13: a profile is looked up', () => {
  test('once in a quarter of an hour', async () => {
    await create('nodes');
    aws.calls.clear();
    await clock.advance(14 * MINUTE);
    expect((await profiles.get('profile')).Roles?.[0]?.RoleName).toBe('nodes');
    expect(called()).toEqual([]);
    await clock.advance(MINUTE + 1);
    await profiles.get('profile');
    await profiles.get('profile');
    expect(called()).toEqual(['getInstanceProfile']);
  });

  test('and may be missing', async () => {
    await expect(profiles.get('profile')).rejects.toThrow('cannot be found');
  });
});

describe('13: a profile is deleted', () => {
  test('after its role was taken out, and is not protected any more', async () => {
    await create('nodes');
    profiles.setProtected('profile', true);
    await profiles.delete('profile');
    expect(aws.cloud.profiles.has('profile')).toBe(false);
    expect(profiles.isProtected('profile')).toBe(false);
    await expect(profiles.get('profile')).rejects.toThrow('cannot be found');
  });

  test('though it has no role', async () => {
    await aws.apis.iam.createInstanceProfile({ InstanceProfileName: 'profile' });
    await profiles.delete('profile');
    expect(aws.cloud.profiles.size).toBe(0);
  });

  test.each(['getInstanceProfile', 'deleteInstanceProfile'])('without an error when %s finds none', async (call) => {
    await aws.apis.iam.createInstanceProfile({ InstanceProfileName: 'profile' });
    aws.calls.fail(call, awsError('NoSuchEntity'));
    await profiles.delete('profile');
  });

  test.each(['getInstanceProfile', 'removeRoleFromInstanceProfile', 'deleteInstanceProfile'])(
    'or not, when %s is denied',
    async (call) => {
      await create('nodes');
      aws.calls.fail(call, awsError('AccessDenied', 'no'));
      await expect(profiles.delete('profile')).rejects.toThrow('instance profile profile, no');
    },
  );
});

test('13: all pages of profiles under a path are listed', async () => {
  aws.cloud.pageLimit = 2;
  for (const name of ['a', 'b', 'c']) await create('nodes', name);
  await profiles.create('elsewhere', 'nodes', {}, '/other/');
  const found = await profiles.listProfiles(profilePath('us-west-2', 'test-cluster'));
  expect(found.map(({ InstanceProfileName }) => InstanceProfileName)).toEqual(['a', 'b', 'c']);
});

test('13: protection ends after an hour', async () => {
  profiles.setProtected('profile', true);
  await clock.advance(60 * MINUTE - 1);
  expect(profiles.isProtected('profile')).toBe(true);
  await clock.advance(1);
  expect(profiles.isProtected('profile')).toBe(false);
});
