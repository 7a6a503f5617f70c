import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runControllers } from '../../../../test/aws/run-controllers.ts';
import { TestEnvironment } from '../../../../test/environment.ts';
import { applied, patched } from '../../../../test/expectations/index.ts';
import { ec2NodeClass } from '../../../../test/factories/ec2-node-class.ts';
import { node, nodeClaim } from '../../../../test/factories/index.ts';
import { NodeClaims, Nodes } from '../../../kube/resources.ts';
import type { InstanceTypeProvider } from '../../providers/contracts.ts';
import { InstanceTypeController } from './instance-type.ts';
import { InstanceTypeCapacityController } from './instance-type-capacity.ts';

const { signal } = new AbortController();
const fine = async () => {};
const broken = async () => {
  throw new Error('slow down');
};

test('26: types and where they are sold are asked for every twelve hours', async () => {
  const asked: string[] = [];
  const updateInstanceTypes = async () => void asked.push('types');
  const updateInstanceTypeOfferings = async () => void asked.push('offerings');
  const controller = new InstanceTypeController({
    instanceTypes: { updateInstanceTypes, updateInstanceTypeOfferings },
  });
  expect(await controller.reconcile('all', signal)).toEqual({ requeueAfter: 12 * 3_600_000 });
  expect(asked).toEqual(['types', 'offerings']);
});

test.each([
  ['types', { updateInstanceTypes: broken, updateInstanceTypeOfferings: fine }, 'updating instancetype, slow down'],
  ['offerings', { updateInstanceTypes: fine, updateInstanceTypeOfferings: broken }, 'updating instancetype, slow down'],
  [
    'both',
    { updateInstanceTypes: broken, updateInstanceTypeOfferings: broken },
    'updating instancetype, slow down; slow down',
  ],
])('26: a failure of %s is tried again', async (_which, instanceTypes, message) => {
  await expect(new InstanceTypeController({ instanceTypes }).reconcile('all', signal)).rejects.toThrow(message);
});

describe('capacity of nodes', () => {
  let env: TestEnvironment;
  beforeEach(async () => {
    env = await TestEnvironment.open();
  });
  afterEach(async () => await env.close());

  const nodeClass = ec2NodeClass({ metadata: { name: 'default' } });
  const CLASS_LABEL = { 'karpenter.k8s.aws/ec2nodeclass': 'default' };
  const REGISTERED = { 'karpenter.sh/registered': 'true' };

  /** Tells the names of the nodes that something was learnt from, with those of their claims. */
  function start(): string[] {
    const learnt: string[] = [];
    const updateCapacityFromNode: InstanceTypeProvider['updateCapacityFromNode'] = (from, claim, of) =>
      void learnt.push([from, claim, of].map(({ metadata }) => metadata.name).join());
    const instanceTypes = { updateCapacityFromNode };
    const nodeClasses = { get: async (name: string) => (name === 'default' ? nodeClass : undefined) };
    runControllers(env, {}, (context) => [
      new InstanceTypeCapacityController({ ...context, instanceTypes, nodeClasses }),
    ]);
    return learnt;
  }

  async function join(name: string, labels: Readonly<Record<string, string>>, className = 'default'): Promise<void> {
    const providerID = `aws:///us-west-2a/i-${name}`;
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: className };
    await applied(env, NodeClaims, nodeClaim({ metadata: { name }, spec: { nodeClassRef }, status: { providerID } }));
    await applied(env, Nodes, node({ metadata: { name, labels }, spec: { providerID } }));
  }

  test('22: each node tells once, when it registers or when it had before the start', async () => {
    await join('old', { ...CLASS_LABEL, ...REGISTERED });
    const learnt = start();
    await env.clock.advance(1000);
    expect(learnt).toEqual(['old,old,default']);
    await join('new', CLASS_LABEL);
    await env.clock.advance(1000);
    expect(learnt).toHaveLength(1);
    await patched(env, Nodes, 'new', { metadata: { labels: REGISTERED } });
    await env.clock.advance(1000);
    await patched(env, Nodes, 'new', { metadata: { labels: { other: 'label' } } });
    await env.clock.advance(1000);
    expect(learnt).toEqual(['old,old,default', 'new,new,default']);
  });

  test('22: nodes of others, without a claim or of a class that is gone tell nothing', async () => {
    await join('foreign', REGISTERED);
    await join('classless', { ...CLASS_LABEL, ...REGISTERED }, 'gone');
    const spec = { providerID: 'aws:///us-west-2a/i-lonely' };
    await applied(env, Nodes, node({ metadata: { name: 'lonely', labels: { ...CLASS_LABEL, ...REGISTERED } }, spec }));
    const learnt = start();
    await env.clock.advance(1000);
    expect(learnt).toEqual([]);
  });
});
