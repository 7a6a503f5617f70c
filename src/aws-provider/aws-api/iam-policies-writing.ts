import { LABEL_REGION } from '../../apis/labels.ts';
import {
  LABEL_NODE_CLASS,
  TAG_EKS_CLUSTER_NAME,
  TAG_NAME,
  TAG_NODE_CLAIM,
  TAG_NODE_POOL,
  tagOfCluster,
} from '../apis/labels.ts';
import type { PolicyScope, PolicyStatement } from './iam-policies.ts';

const LAUNCH = ['ec2:RunInstances', 'ec2:CreateFleet'];

const ofRequest = (tag: string): string => `aws:RequestTag/${tag}`;
const ofResource = (tag: string): string => `aws:ResourceTag/${tag}`;

/** Launching, tagging and terminating instances, and the launch templates that they are made from. */
export function nodeLifecycleStatements({ partition, region, clusterName }: PolicyScope): readonly PolicyStatement[] {
  const cluster = tagOfCluster(clusterName);
  const arn = (owner: string) => (type: string) => `arn:${partition}:ec2:${region}:${owner}:${type}/*`;
  const ofAmazon = arn('');
  const ofAnyone = arn('*');
  const launched = [
    'fleet',
    'instance',
    'volume',
    'network-interface',
    'launch-template',
    'spot-instances-request',
  ].map(ofAnyone);
  const asked = { [ofRequest(cluster)]: 'owned', [ofRequest(TAG_EKS_CLUSTER_NAME)]: clusterName };
  const askedForAPool = { StringLike: { [ofRequest(TAG_NODE_POOL)]: '*' } };
  const owned = {
    StringEquals: { [ofResource(cluster)]: 'owned' },
    StringLike: { [ofResource(TAG_NODE_POOL)]: '*' },
  };
  return [
    {
      sid: 'AllowScopedEC2InstanceAccessActions',
      actions: LAUNCH,
      resources: [
        ...['image', 'snapshot'].map(ofAmazon),
        ...['security-group', 'subnet', 'capacity-reservation', 'placement-group'].map(ofAnyone),
      ],
    },
    {
      sid: 'AllowScopedEC2LaunchTemplateAccessActions',
      actions: LAUNCH,
      resources: [ofAnyone('launch-template')],
      conditions: owned,
    },
    {
      sid: 'AllowScopedEC2InstanceActionsWithTags',
      actions: [...LAUNCH, 'ec2:CreateLaunchTemplate'],
      resources: launched,
      conditions: { StringEquals: asked, ...askedForAPool },
    },
    {
      sid: 'AllowScopedResourceCreationTagging',
      actions: ['ec2:CreateTags'],
      resources: launched,
      conditions: {
        StringEquals: { ...asked, 'ec2:CreateAction': ['RunInstances', 'CreateFleet', 'CreateLaunchTemplate'] },
        ...askedForAPool,
      },
    },
    {
      sid: 'AllowScopedResourceTagging',
      actions: ['ec2:CreateTags'],
      resources: [ofAnyone('instance')],
      conditions: {
        ...owned,
        StringEqualsIfExists: { [ofRequest(TAG_EKS_CLUSTER_NAME)]: clusterName },
        'ForAllValues:StringEquals': { 'aws:TagKeys': [TAG_EKS_CLUSTER_NAME, TAG_NODE_CLAIM, TAG_NAME] },
      },
    },
    {
      sid: 'AllowScopedDeletion',
      actions: ['ec2:TerminateInstances', 'ec2:DeleteLaunchTemplate'],
      resources: ['instance', 'launch-template'].map(ofAnyone),
      conditions: owned,
    },
  ];
}

/** Handing the nodes' role to EC2, and the instance profiles that hold it. */
export function instanceProfileStatements(scope: PolicyScope): readonly PolicyStatement[] {
  const { partition, region, accountID, clusterName, nodeRoleARN } = scope;
  const resources = [`arn:${partition}:iam::${accountID}:instance-profile/*`];
  const cluster = tagOfCluster(clusterName);
  const asked = {
    [ofRequest(cluster)]: 'owned',
    [ofRequest(TAG_EKS_CLUSTER_NAME)]: clusterName,
    [ofRequest(LABEL_REGION)]: region,
  };
  const owned = { [ofResource(cluster)]: 'owned', [ofResource(LABEL_REGION)]: region };
  const askedForAClass = { [ofRequest(LABEL_NODE_CLASS)]: '*' };
  const ofAClass = { [ofResource(LABEL_NODE_CLASS)]: '*' };
  return [
    {
      sid: 'AllowPassingInstanceRole',
      actions: ['iam:PassRole'],
      resources: [nodeRoleARN],
      conditions: { StringEquals: { 'iam:PassedToService': ['ec2.amazonaws.com', 'ec2.amazonaws.com.cn'] } },
    },
    {
      sid: 'AllowScopedInstanceProfileCreationActions',
      actions: ['iam:CreateInstanceProfile'],
      resources,
      conditions: { StringEquals: asked, StringLike: askedForAClass },
    },
    {
      sid: 'AllowScopedInstanceProfileTagActions',
      actions: ['iam:TagInstanceProfile'],
      resources,
      conditions: { StringEquals: { ...owned, ...asked }, StringLike: { ...ofAClass, ...askedForAClass } },
    },
    {
      sid: 'AllowScopedInstanceProfileActions',
      actions: ['iam:AddRoleToInstanceProfile', 'iam:RemoveRoleFromInstanceProfile', 'iam:DeleteInstanceProfile'],
      resources,
      conditions: { StringEquals: owned, StringLike: ofAClass },
    },
  ];
}
