import { expect, test } from 'vitest';
import type { Entry } from './moto/server.ts';
import { refusedCalls } from './permitted.ts';

const SCOPE = {
  partition: 'aws',
  region: 'us-west-2',
  accountID: '123456789012',
  clusterName: 'blue',
  nodeRoleARN: 'arn:aws:iam::123456789012:role/nodes',
  queueARN: 'arn:aws:sqs:us-west-2:123456789012:blue',
};
const OWN = {
  'kubernetes.io/cluster/blue': 'owned',
  'eks:eks-cluster-name': 'blue',
  'karpenter.sh/nodepool': 'default',
};

const entry = (action: string, params: object, service = 'ec2'): Entry => ({
  service,
  action,
  params: params as Entry['params'],
  error: null,
  agent: '',
  time: 0,
});
const tagged = (tags: Readonly<Record<string, string>>) => ({
  TagSpecifications: [{ ResourceType: 'instance', Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) }],
});
const template = entry('CreateLaunchTemplate', tagged(OWN));

test('a fleet with the tags of the cluster is allowed, and its instances may be terminated', () => {
  const journal = [template, entry('CreateFleet', tagged(OWN)), entry('TerminateInstances', {})];
  expect(refusedCalls(journal, SCOPE)).toEqual([]);
});

test('a template without the tags of the cluster is refused', () => {
  expect(refusedCalls([entry('CreateLaunchTemplate', tagged({ team: 'a' }))], SCOPE)).toEqual([
    'ec2:CreateLaunchTemplate',
  ]);
});

test('what another cluster made may not be terminated', () => {
  const other = tagged({ ...OWN, 'kubernetes.io/cluster/blue': 'shared' });
  expect(refusedCalls([entry('CreateFleet', other), entry('TerminateInstances', {})], SCOPE)).toContain(
    'ec2:TerminateInstances',
  );
});

test('what no statement names is refused', () => {
  expect(refusedCalls([entry('DeleteVpc', {})], SCOPE)).toEqual(['ec2:DeleteVpc']);
});
