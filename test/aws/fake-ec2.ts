import type { AwsApis } from '../../src/aws-provider/aws-api/apis.ts';
import type { Clock } from '../../src/kube/clock.ts';
import { FakeCalls } from './fake/calls.ts';
import { FakeCloud } from './fake/cloud.ts';
import { arcZonalShiftApi, eksApi, ssmApi } from './fake/control-plane.ts';
import { fillAccount } from './fake/default-account.ts';
import { createFleet } from './fake/fleet.ts';
import { iamApi } from './fake/iam.ts';
import { pricingApi, typeCalls } from './fake/instance-types.ts';
import { instanceCalls } from './fake/instances.ts';
import { templateCalls } from './fake/launch-templates.ts';
import { networkCalls } from './fake/network.ts';
import { sqsApi } from './fake/queue.ts';

export { type FakeCloud, type FakeInstance, poolOf } from './fake/cloud.ts';
export { DISCOVERY_TAG } from './fake/default-account.ts';

export interface FakeAws {
  readonly apis: AwsApis;
  /** The account, to be looked at and changed. */
  readonly cloud: FakeCloud;
  /** Every call that was made, and those that shall fail. */
  readonly calls: FakeCalls;
}

export const TEST_CLUSTER = 'test-cluster';
export const TEST_REGION = 'us-west-2';

/** An account of AWS in one region, in process, with a cluster named `test-cluster`; its time is the clock's. */
export function fakeAws(
  clock: Clock,
  zones: Readonly<Record<string, string>> = {
    'us-west-2a': 'usw2-az1',
    'us-west-2b': 'usw2-az2',
    'us-west-2c': 'usw2-az3',
  },
): FakeAws {
  const cloud = new FakeCloud(clock, TEST_REGION, TEST_CLUSTER, zones);
  fillAccount(cloud);
  const calls = new FakeCalls();
  const ec2 = {
    ...typeCalls(cloud),
    ...networkCalls(cloud),
    ...templateCalls(cloud),
    ...instanceCalls(cloud),
    createFleet: async (input: Parameters<typeof createFleet>[1]) => createFleet(cloud, input),
  };
  return {
    cloud,
    calls,
    apis: {
      ec2: calls.around(cloud, ec2),
      iam: calls.around(cloud, iamApi(cloud)),
      eks: calls.around(cloud, eksApi(cloud)),
      ssm: calls.around(cloud, ssmApi(cloud)),
      pricing: calls.around(cloud, pricingApi(cloud)),
      sqs: calls.around(cloud, sqsApi(cloud)),
      arcZonalShift: calls.around(cloud, arcZonalShiftApi(cloud)),
    },
  };
}
