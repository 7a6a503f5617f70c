import { expect } from 'vitest';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
import type { CloudProvider } from '../../src/cloudprovider/types.ts';
import type { ControllerContext } from '../../src/controllers/context.ts';
import { Objects } from '../../src/controllers/objects.ts';
import { NodeClaims, NodePools } from '../../src/kube/resources.ts';
import { NO_METRICS } from '../../src/metrics/metrics.ts';
import type { VirtualClock } from '../../src/simulation/virtual-clock.ts';
import { AwsEnvironment } from '../aws/aws-environment.ts';
import { runControllers } from '../aws/run-controllers.ts';
import { nodeClaim, nodePool } from '../factories/index.ts';
import { providerCases } from './provider-cases.ts';

const PATIENCE_MS = 60_000;
const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

/** The provider waits for others that may want the same of EC2: each of its calls is given the time that it takes. */
function whileTimePasses(cloud: CloudProvider, clock: VirtualClock): CloudProvider {
  const given = async (answer: Promise<unknown>): Promise<unknown> => {
    let isThere = false;
    const note = () => {
      isThere = true;
    };
    answer.then(note, note);
    await clock.runUntil(() => isThere, PATIENCE_MS);
    return await answer;
  };
  return new Proxy(cloud, {
    get(target, key) {
      const part: unknown = Reflect.get(target, key, target);
      if (typeof part !== 'function') return part;
      return (...args: readonly unknown[]) => {
        const answer: unknown = Reflect.apply(part, target, args);
        return answer instanceof Promise ? given(answer) : answer;
      };
    },
  });
}

/** The provider with the controllers of its classes; nothing else acts on claims. */
async function open() {
  const world = await AwsEnvironment.open();
  const { env, aws } = world;
  Object.assign(aws.cloud.durations, { pending: 2000, shuttingDown: 5000 });
  const { cloud, controllers } = await world.provider();
  runControllers(env, cloud, (context) => {
    const nodePools = new Objects(context, NodePools);
    const whole = { ...context, nodePools, recorder: { publish: () => {} }, metrics: NO_METRICS } as ControllerContext;
    return controllers(whole).filter(({ name }) => name.startsWith('nodeclass'));
  });
  const isReady = ({ status }: EC2NodeClass): boolean =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  const found = async () => await env.client.get(Ec2NodeClasses, { name: 'default' });
  const pool = nodePool({ metadata: { name: 'default' }, spec: { template: { spec: { nodeClassRef } } } });
  await env.client.create(NodePools, pool);
  await world.nodeClass({ metadata: { name: 'default' } });
  await env.clock.advance(10_000);
  expect(isReady(await found())).toBe(true);
  return {
    cloud: whileTimePasses(cloud, env.clock),
    pool,
    claim: async (spec: Partial<NodeClaim['spec']> = {}) => {
      const metadata = { labels: { 'karpenter.sh/nodepool': 'default' } };
      return await env.client.create(NodeClaims, nodeClaim({ metadata, spec: { ...spec, nodeClassRef } }));
    },
    settle: async () => await env.clock.advance(10_000),
    async setNodeClass(state: 'notReady' | 'missing') {
      if (state === 'missing') await env.client.delete(Ec2NodeClasses, { name: 'default' });
      else {
        const body = { spec: { securityGroupSelectorTerms: [{ tags: { nobody: 'has' } }] } };
        await env.client.patch(Ec2NodeClasses, { name: 'default' }, { type: 'merge', body });
      }
      await env.clock.advance(10_000);
    },
    async sellOut() {
      for (const type of aws.cloud.instanceTypes) {
        for (const zone of aws.cloud.zones.keys()) {
          for (const market of ['spot', 'on-demand']) aws.cloud.sellOut(market, type.InstanceType ?? '', zone);
        }
      }
    },
    close: async () => await world.close(),
  };
}

providerCases('EC2', open, { remembersClaims: false });
