import { expect, test } from 'vitest';
import { Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
import { AWS_FACTS } from '../../src/aws-provider/facts.ts';
import { PromMetrics } from '../../src/operator/prom-metrics.ts';
import { sample } from '../expectations/index.ts';
import { AwsEnvironment } from './aws-environment.ts';

test('28: the conditions of classes are measured, under the names of their kind and the older ones', async () => {
  const metrics = new PromMetrics(AWS_FACTS);
  const world = await AwsEnvironment.open({ metrics });
  const { client, clock } = world.env;
  await world.nodeClass({ metadata: { name: 'default' } });
  await world.startOperator();
  await clock.advance(10_000);
  const ready = { name: 'default', type: 'Ready', status: 'True', reason: 'Ready' };
  const older = { ...ready, group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' };
  const of = async (name: string, labels: Readonly<Record<string, string>>) =>
    await sample(metrics, `operator_${name}`, labels);
  expect(await of('ec2nodeclass_status_condition_count', ready)).toBe(1);
  expect(await of('status_condition_count', older)).toBe(1);
  expect(await of('ec2nodeclass_status_condition_current_status_seconds', ready)).toBeGreaterThan(5);
  const turned = { type: 'Ready', status: 'True' };
  expect(await of('ec2nodeclass_status_condition_transitions_total', turned)).toBe(1);
  await client.patch(
    Ec2NodeClasses,
    { name: 'default' },
    { type: 'merge', body: { metadata: { finalizers: ['a/b'] } } },
  );
  await client.delete(Ec2NodeClasses, { name: 'default' });
  await clock.advance(1000);
  expect(await of('ec2nodeclass_termination_current_time_seconds', { name: 'default' })).toBeGreaterThan(0);
  await world.close();
});
