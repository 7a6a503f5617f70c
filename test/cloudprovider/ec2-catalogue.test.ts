import { afterEach, expect, test } from 'vitest';
import { KwokCloudProvider } from '../../kwok-provider/cloud-provider.ts';
import { EC2_US_EAST_1 } from '../../kwok-provider/instance-types/ec2-catalogue.ts';
import { ec2InstanceTypes } from '../../kwok-provider/instance-types/ec2-instance-types.ts';
import { toInstanceType } from '../../kwok-provider/instance-types/index.ts';
import { CSINodes, Deployments, NodePools } from '../../src/kube/resources.ts';
import { TestEnvironment } from '../environment.ts';
import { applied, eventually, running } from '../expectations/index.ts';
import { deployment, nodePool } from '../factories/index.ts';

let env: TestEnvironment;
afterEach(async () => await env.close());

test('a pool written for EC2 gets fake nodes of the cheapest type that it allows, labelled and limited as in EC2', async () => {
  env = await TestEnvironment.open();
  const client = env.api.client('karpenter');
  const instanceTypes = ec2InstanceTypes(EC2_US_EAST_1).map(toInstanceType);
  env.startCluster();
  env.startOperator({}, { client, cloud: new KwokCloudProvider({ client, clock: env.clock, instanceTypes }) });
  const requirements = [
    { key: 'karpenter.k8s.aws/instance-category', operator: 'In', values: ['c', 'm', 'r'] },
    { key: 'karpenter.k8s.aws/instance-generation', operator: 'Gt', values: ['4'] },
    { key: 'karpenter.k8s.aws/instance-local-nvme', operator: 'Gt', values: ['100'] },
    { key: 'karpenter.k8s.aws/instance-cpu-manufacturer', operator: 'In', values: ['intel'] },
    { key: 'karpenter.k8s.aws/instance-hypervisor', operator: 'In', values: ['nitro'] },
    { key: 'topology.k8s.aws/zone-id', operator: 'In', values: ['use1-az6'] },
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
  ] as const;
  await applied(env, NodePools, nodePool({ spec: { template: { spec: { requirements } } } }));
  await applied(env, Deployments, deployment(1));
  const { nodes } = await eventually(env, (now) => running(now) === 1);
  const [node] = nodes;
  expect(node?.metadata.labels).toMatchObject({
    'karpenter.k8s.aws/instance-cpu-manufacturer': 'intel',
    'topology.kubernetes.io/zone': 'us-east-1a',
    'topology.k8s.aws/zone-id': 'use1-az6',
    'topology.kubernetes.io/region': 'us-east-1',
  });
  const [csiNode] = (await env.client.list(CSINodes)).items;
  expect(csiNode?.metadata.name).toBe(node?.metadata.name);
  expect(node?.metadata.labels?.['node.kubernetes.io/instance-type']).toBe('c6id.large');
  // 28 attachments, of which the network interface, the disk inside and the root volume take one each.
  expect(csiNode?.spec.drivers?.map(({ allocatable }) => allocatable?.count)).toEqual([25, 25]);
});
