import { beforeEach, expect, test } from 'vitest';
import { type FakeAws, fakeAws } from '../../../test/aws/fake-ec2.ts';
import { awsError } from '../../../test/aws/scripted-api.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import type { AwsApis } from './apis.ts';
import { errorCode } from './error-code.ts';
import { denialOf, explainDenials } from './explained-denials.ts';
import { grantsOf } from './permissions.ts';
import { wrappedError } from './wrapped-error.ts';

let aws: FakeAws;
let apis: AwsApis;
beforeEach(() => {
  aws = fakeAws(new VirtualClock());
  apis = explainDenials(aws.apis);
});

const failure = async (call: Promise<unknown>): Promise<Error> => {
  try {
    await call;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not fail');
};

test('29: a denied call says what is missing, and is still AWS’s error', async () => {
  aws.calls.fail('describeSubnets', awsError('UnauthorizedOperation', 'You are not authorized.', 403));
  const error = wrappedError('getting subnets', await failure(apis.ec2.describeSubnets({})));
  expect(error.message).toBe(
    'getting subnets, You are not authorized.; missing permission: ec2:DescribeSubnets, granted by statement AllowRegionalReadActions (KarpenterControllerResourceDiscoveryPolicy)',
  );
  expect(errorCode(error)).toBe('UnauthorizedOperation');
  expect(denialOf(new AggregateError([new Error('other'), error]))?.action).toBe('ec2:DescribeSubnets');
});

test('29: every call of every API is known by an action that a statement allows', async () => {
  for (const [service, api] of Object.entries(apis)) {
    for (const name of Object.keys(api)) {
      aws.calls.fail(name, awsError('AccessDenied'));
      const calls = api as unknown as Readonly<Record<string, (input: object) => Promise<unknown>>>;
      const denied = denialOf(await failure((calls[name] as (input: object) => Promise<unknown>)({})));
      expect([service, name, grantsOf(denied?.action ?? '').length > 0]).toEqual([service, name, true]);
    }
  }
});

test('29: answers and other errors pass', async () => {
  expect((await apis.ec2.describeSubnets({})).Subnets?.length).toBeGreaterThan(0);
  const error = awsError('InternalError');
  aws.calls.fail('describeSubnets', error);
  expect(await failure(apis.ec2.describeSubnets({}))).toBe(error);
  expect(denialOf(error)).toBeUndefined();
});
