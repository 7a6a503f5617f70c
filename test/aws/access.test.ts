/** What the controller's role may lack: every call of it is refused, and the log has to say what is missing. */
import { afterEach, expect, test, vi } from 'vitest';
import { Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
import { Deployments, NodeClaims, NodePools } from '../../src/kube/resources.ts';
import { SILENT } from '../../src/logging/logger.ts';
import { applied, patched } from '../expectations/index.ts';
import { deployment, nodePool } from '../factories/index.ts';
import { AwsEnvironment } from './aws-environment.ts';
import { actionOf, allCalls } from './calls.ts';
import type { FakeQueue } from './fake/queue.ts';

// A quarter of an hour of a cluster, on a machine that has other things to do.
vi.setConfig({ testTimeout: 120_000 });

const MINUTE_MS = 60_000;
/** Without them the controller does not even start. */
const AT_THE_START = [
  'describeInstanceTypes',
  'describeInstanceTypeOfferings',
  'describeCluster',
  'getManagedResource',
];

let world: AwsEnvironment;
let queue: FakeQueue;
let log: string[] = [];
/** Calls whose refusal was told as it should be. */
const told = new Set<string>();
afterEach(async () => await world.close());

async function open(): Promise<void> {
  log = [];
  const note = (message: string, error?: unknown) =>
    void log.push(`${message}: ${error instanceof Error ? error.message : error}`);
  world = await AwsEnvironment.open({
    aws: { interruptionQueue: 'news', enableZonalShift: true },
    log: { ...SILENT, error: note },
  });
  queue = world.aws.cloud.addQueue('news');
}

/** The line that whoever runs the controller should find. */
const line = (name: string): RegExp => {
  const { service = '' } = allCalls().find(({ call }) => call === name) ?? {};
  return new RegExp(
    `missing permission: ${actionOf(service, name)}(?: on .+)?, granted by statement \\w+ \\(Karpenter`,
  );
};

/** Refuses calls while something is done that needs them. */
async function refused(names: readonly string[], work: () => Promise<unknown>): Promise<void> {
  log.length = 0;
  for (const name of names) world.aws.calls.forbid(name);
  await work();
  await world.env.clock.advance(MINUTE_MS);
  for (const name of names) world.aws.calls.succeed(name);
  const silent = names.filter((name) => !log.some((text) => line(name).test(text)));
  expect({ silent, log: silent.length > 0 ? [...new Set(log)] : [] }).toEqual({ silent: [], log: [] });
  for (const name of names) told.add(name);
}

test.each(AT_THE_START)('without the right to call %s the controller does not start, and says why', async (name) => {
  await open();
  world.aws.calls.forbid(name);
  const error = await world.provider().catch((thrown: unknown) => thrown);
  expect((error as Error).message).toMatch(line(name));
  told.add(name);
});

test('every other call that is refused is told with the statement that would allow it', async () => {
  await open();
  const { env, aws } = world;
  aws.cloud.placementGroups.push({ GroupName: 'group', GroupId: 'pg-1', State: 'available', Strategy: 'cluster' });
  world.startCluster();
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  await applied(
    env,
    NodePools,
    nodePool({ metadata: { name: 'pool' }, spec: { template: { spec: { nodeClassRef } } } }),
  );
  let edition = 0;
  const edit = async (spec: object = {}) =>
    await patched(env, Ec2NodeClasses, 'default', { spec: { tags: { edition: String(++edition) }, ...spec } });

  const lookups = [
    'describeSubnets',
    'describeSecurityGroups',
    'describeCapacityReservations',
    'describePlacementGroups',
  ];
  const polls = [
    'describeInstances',
    'describeInstanceStatus',
    'getProducts',
    'describeSpotPriceHistory',
    'listInstanceProfiles',
  ];
  await refused([...lookups, ...polls, 'getQueueUrl', 'getParameter', 'getInstanceProfile'], async () => {
    const capacityReservationSelectorTerms = [{ tags: { team: 'a' } }];
    await world.nodeClass({
      metadata: { name: 'default' },
      spec: { capacityReservationSelectorTerms, placementGroupSelector: { name: 'group' } },
    });
    await world.startOperator();
  });
  await refused(['describeImages', 'createInstanceProfile', 'receiveMessage'], () => edit());
  await refused(['addRoleToInstanceProfile'], () => edit());
  for (const probe of ['describeLaunchTemplates', 'createLaunchTemplate', 'createFleet', 'runInstances']) {
    // What was made for the probe before would be used again.
    await refused([probe], () => edit({ userData: `#!/bin/sh\necho ${probe}\n`, placementGroupSelector: null }));
  }
  await edit();
  await env.clock.advance(MINUTE_MS);

  await refused(['createTags', 'deleteMessage', 'deleteLaunchTemplate'], async () => {
    await env.client.create(Deployments, deployment(1, { metadata: { name: 'web' } }));
    queue.send('no JSON');
    await env.clock.advance(5 * MINUTE_MS);
  });
  await refused(['terminateInstances'], async () => {
    await env.client.delete(Deployments, { name: 'web', namespace: 'default' });
    const [claim] = (await env.client.list(NodeClaims)).items;
    await env.client.delete(NodeClaims, { name: claim?.metadata.name ?? '' });
  });
  await env.clock.advance(2 * MINUTE_MS);
  await refused(['removeRoleFromInstanceProfile'], () => env.client.delete(Ec2NodeClasses, { name: 'default' }));
  await refused(['deleteInstanceProfile'], async () => await env.clock.advance(MINUTE_MS));
  await env.clock.advance(5 * MINUTE_MS);
  expect((await env.client.list(Ec2NodeClasses)).items).toEqual([]);
  expect([...told].sort()).toEqual(
    allCalls()
      .map(({ call }) => call)
      .sort(),
  );
});
