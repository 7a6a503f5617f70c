import { describe, expect, test } from 'vitest';
import { ec2NodeClass } from '../../../test/factories/ec2-node-class.ts';
import { nodeClaim } from '../../../test/factories/index.ts';
import type { Condition } from '../../kube/objects.ts';
import { Requirement } from '../../scheduling/requirement.ts';
import { Requirements } from '../../scheduling/requirements.ts';
import type { EC2NodeClassSpec } from '../apis/ec2-node-class.ts';
import { driftOfClaim } from './class-drift.ts';
import { ec2ConditionMeanings } from './condition-meanings.ts';

const condition = (type: string, reason: string, status: Condition['status'] = 'False'): Condition => ({
  ...{ type, reason, status },
  lastTransitionTime: '2026-03-01T12:00:00Z',
});

/** What a class is told to look at, of one condition. */
function nextOf(wanted: Condition, spec: Partial<EC2NodeClassSpec> = {}): string | undefined {
  const nodeClass = ec2NodeClass({ spec, status: { conditions: [wanted] } });
  return ec2ConditionMeanings(nodeClass)[wanted.type]?.next;
}

describe('of a condition that is not true, the next step is one that can be taken', () => {
  test.each<[string, Condition, Partial<EC2NodeClassSpec>, string]>([
    [
      'subnets by tags',
      condition('SubnetsReady', 'SubnetsNotFound'),
      { subnetSelectorTerms: [{ tags: { team: 'a', public: '*' } }] },
      "aws ec2 describe-subnets --filters 'Name=tag:team,Values=a' 'Name=tag-key,Values=public'",
    ],
    [
      'security groups by name',
      condition('SecurityGroupsReady', 'SecurityGroupsNotFound'),
      { securityGroupSelectorTerms: [{ name: 'nodes' }] },
      "aws ec2 describe-security-groups --filters 'Name=group-name,Values=nodes'",
    ],
    [
      'images by name, of owners that are trusted',
      condition('AMIsReady', 'AMINotFound'),
      { amiSelectorTerms: [{ name: 'mine-*' }] },
      "aws ec2 describe-images --owners self amazon --filters 'Name=name,Values=mine-*'",
    ],
    [
      'an image by a parameter',
      condition('AMIsReady', 'AMINotFound'),
      { amiSelectorTerms: [{ ssmParameter: '/mine/ami' }] },
      'aws ssm get-parameter --name /mine/ami',
    ],
    [
      'a role with a path',
      condition('InstanceProfileReady', 'InstanceProfileReady'),
      { role: 'team/nodes' },
      'aws iam get-role --role-name nodes',
    ],
    [
      'a placement group',
      condition('PlacementGroupReady', 'PlacementGroupNotFound'),
      { placementGroupSelector: { name: 'racks' } },
      'aws ec2 describe-placement-groups --group-names racks',
    ],
  ])('%s', (_what, wanted, spec, command) => {
    expect(nextOf(wanted, spec)).toBe(command);
  });

  test.each([
    ['CreateFleetAuthCheckFailed', 'doctor --provider aws'],
    ['TagValidationFailed', 'spec.tags'],
    ['InvalidKubeletConfiguration', 'spec.kubelet'],
    ['UserDataSizeLimitExceeded', 'spec.userData'],
  ])('a launch that EC2 refuses for %s', (reason, next) => {
    expect(nextOf(condition('ValidationSucceeded', reason))).toContain(next);
  });

  test('an answer that is still to come', () => {
    expect(nextOf(condition('SubnetsReady', 'AwaitingReconciliation', 'Unknown'))).toContain(
      'is the controller running',
    );
    expect(nextOf(condition('ValidationSucceeded', 'DependenciesNotReady', 'Unknown'))).toContain('conditions above');
  });
});

describe('8: a claim has drifted from its class', () => {
  const M5: Parameters<typeof driftOfClaim>[2] = [
    {
      name: 'm5.large',
      requirements: new Requirements([Requirement.of('kubernetes.io/arch', 'In', ['amd64'])]),
      ...{ offerings: [], capacity: {}, overhead: {} },
    },
  ];
  const hashes = (hash: string, hashVersion = 'v6') => ({
    'karpenter.k8s.aws/ec2nodeclass-hash': hash,
    'karpenter.k8s.aws/ec2nodeclass-hash-version': hashVersion,
  });
  const amis = [{ id: 'ami-new', name: 'image-2', requirements: [] }];
  const nodeClass = ec2NodeClass({ metadata: { annotations: hashes('2') }, status: { amis } });
  const claim = (hash: string, imageID: string) =>
    nodeClaim({
      metadata: { annotations: hashes(hash), labels: { 'node.kubernetes.io/instance-type': 'm5.large' } },
      status: { imageID },
    });

  test('by fields that were edited', () => {
    expect(driftOfClaim(claim('1', 'ami-new'), nodeClass, M5)).toEqual({
      reason: 'NodeClassDrift',
      what: expect.stringContaining('launched with hash 1, the class has 2'),
    });
  });

  test('by an image that a new node would not get', () => {
    expect(driftOfClaim(claim('2', 'ami-old'), nodeClass, M5)).toEqual({
      reason: 'AMIDrift',
      what: 'it runs ami-old, a new m5.large gets ami-new (image-2)',
    });
    expect(driftOfClaim(claim('2', 'ami-new'), nodeClass, M5)).toBeUndefined();
    expect(driftOfClaim(claim('2', 'ami-old'), nodeClass, [])).toBeUndefined();
  });
});
