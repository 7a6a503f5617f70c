/** Launches that nobody hears of: nothing may be left running that no claim has, and pods get what they need. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AwsApis } from '../../../src/aws-provider/aws-api/apis.ts';
import { Deployments, NodeClaims, NodePools, Pods } from '../../../src/kube/resources.ts';
import { AwsEnvironment } from '../../aws/aws-environment.ts';
import { awsError } from '../../aws/scripted-api.ts';
import { applied } from '../../expectations/index.ts';
import { deployment, nodePool } from '../../factories/index.ts';
import { Lifeline } from '../lifeline.ts';
import { providerIdOf } from './account-life.ts';

vi.setConfig({ testTimeout: 60_000 });

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;

let world: AwsEnvironment;
beforeEach(async () => {
  world = await AwsEnvironment.open();
  world.startCluster();
  await world.nodeClass({ metadata: { name: 'default' } });
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  await applied(world.env, NodePools, nodePool({ spec: { template: { spec: { nodeClassRef } } } }));
});
afterEach(async () => await world.close());

type CreateFleet = AwsApis['ec2']['createFleet'];

/** Starts a controller that launches in another way; dry runs are as ever. */
async function start(createFleet: (launch: CreateFleet) => CreateFleet = (launch) => launch) {
  const { apis } = world.aws;
  const launch = createFleet(apis.ec2.createFleet);
  const altered: CreateFleet = async (input, options) =>
    await (input.DryRun ? apis.ec2.createFleet : launch)(input, options);
  const started = await world.startOperator({ apis: { ...apis, ec2: { ...apis.ec2, createFleet: altered } } });
  await world.env.clock.advance(10 * SECOND_MS);
  return started;
}

const wanted = async () => await world.env.client.create(Deployments, deployment(1, { metadata: { name: 'web' } }));

/** Instances that were launched, that run, and those that a claim has; and how many pods run. */
async function account() {
  const { cloud } = world.aws;
  const { client } = world.env;
  const claimed = new Set((await client.list(NodeClaims)).items.map(({ status }) => status?.providerID));
  return {
    launched: cloud.instances.size,
    running: cloud.running.length,
    claimed: cloud.running.filter(({ data }) => claimed.has(providerIdOf(data))).length,
    pods: (await client.list(Pods)).items.filter(({ status }) => status?.phase === 'Running').length,
  };
}

test('a controller that is killed after a fleet, before it is written down, leaves nothing to the next one', async () => {
  const lifeline = new Lifeline(() => {});
  const { kill } = await start((launch) => async (input) => {
    await launch(input);
    lifeline.end();
    return await new Promise(() => {});
  });
  await wanted();
  await world.env.clock.advance(10 * SECOND_MS);
  expect(lifeline.isDead).toBe(true);
  void kill().catch(() => undefined);
  await start();
  await world.env.clock.advance(MINUTE_MS);
  expect(await account()).toEqual({ launched: 2, running: 1, claimed: 1, pods: 1 });
});

test('a fleet of a controller that has died since is carried out late, and collected', async () => {
  const { kill } = await start((launch) => async (input) => {
    await world.env.clock.sleep(45 * SECOND_MS);
    await launch(input);
    return await new Promise(() => {});
  });
  await wanted();
  await world.env.clock.advance(10 * SECOND_MS);
  void kill().catch(() => undefined);
  await start();
  await world.env.clock.advance(20 * SECOND_MS);
  expect(await account()).toMatchObject({ launched: 1, running: 1, claimed: 1 });
  await world.env.clock.advance(10 * SECOND_MS);
  expect(await account()).toMatchObject({ launched: 2, running: 2, claimed: 1 });
  await world.env.clock.advance(MINUTE_MS);
  expect(await account()).toEqual({ launched: 2, running: 1, claimed: 1, pods: 1 });
});

test('a fleet whose answer is lost is asked for again, and the first instance collected', async () => {
  let lost = 0;
  await start((launch) => async (input) => {
    const answer = await launch(input);
    if (lost++ === 0) throw new Error('socket hang up');
    return answer;
  });
  await wanted();
  await world.env.clock.advance(30 * SECOND_MS);
  expect(await account()).toMatchObject({ launched: 2, claimed: 1 });
  await world.env.clock.advance(2 * MINUTE_MS);
  expect(await account()).toEqual({ launched: 2, running: 1, claimed: 1, pods: 1 });
});

test('a claim that goes before EC2 tells of its instance leaves none', async () => {
  world.aws.cloud.durations.unknown = 20 * SECOND_MS;
  await start();
  await wanted();
  await world.env.clock.advance(12 * SECOND_MS);
  const [claim] = (await world.env.client.list(NodeClaims)).items;
  expect(claim?.status?.providerID).toBeDefined();
  await world.env.client.delete(Deployments, { name: 'web', namespace: 'default' });
  await world.env.client.delete(NodeClaims, { name: claim?.metadata.name ?? '' });
  await world.env.clock.advance(3 * MINUTE_MS);
  expect(await account()).toEqual({ launched: 1, running: 0, claimed: 0, pods: 0 });
});

test('launches that are throttled, refused for a new profile and full of errors end in one instance', async () => {
  const answers = [
    awsError('RequestLimitExceeded', 'Request limit exceeded.', 503),
    awsError('InternalError', 'An internal error has occurred', 500),
    awsError(
      'InvalidParameterValue',
      'Value (p) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name',
    ),
    awsError('SomethingNew', 'never heard of'),
  ];
  await start((launch) => async (input) => {
    const answer = answers.shift();
    if (answer) throw answer;
    return await launch(input);
  });
  await wanted();
  await world.env.clock.advance(3 * MINUTE_MS);
  expect(answers).toEqual([]);
  expect(await account()).toEqual({ launched: 1, running: 1, claimed: 1, pods: 1 });
});
