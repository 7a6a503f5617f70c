import { beforeEach, expect, test } from 'vitest';
import { type FakeAws, fakeAws } from '../../../../test/aws/fake-ec2.ts';
import { SILENT } from '../../../logging/logger.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import { isAwsNotFound } from '../../aws-api/error-kinds.ts';
import { DEFAULT_AWS_OPTIONS } from '../../aws-options.ts';
import { SsmInvalidationController } from '../../controllers/providers/ssm-invalidation.ts';
import { DefaultAmiProvider } from '../ami-family/ami-provider.ts';
import { DefaultSsmProvider } from './ssm-provider.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let clock: VirtualClock;
let aws: FakeAws;
let ssm: DefaultSsmProvider;

beforeEach(() => {
  clock = new VirtualClock();
  aws = fakeAws(clock);
  ssm = new DefaultSsmProvider({ ssm: aws.apis.ssm, clock, log: SILENT });
  aws.cloud.parameters.set('/latest', 'ami-own').set('/version', 'ami-own').set('/user', 'ami-own');
});

const asked = () => aws.calls.inputs('getParameter').length;
const signal = new AbortController().signal;

test('3: parameters are kept for a day, those that users name for five minutes', async () => {
  const both = async () => {
    await ssm.get({ name: '/latest', isMutable: true });
    await ssm.get({ name: '/user', isMutable: false, isCustom: true });
  };
  await both();
  await clock.advance(5 * MINUTE_MS - 1);
  await both();
  expect(asked()).toBe(2);
  await clock.advance(1);
  await both();
  expect(asked()).toBe(3);
  await clock.advance(24 * HOUR_MS - 5 * MINUTE_MS - 1);
  await ssm.get({ name: '/latest', isMutable: true });
  expect(asked()).toBe(3);
  await clock.advance(1);
  await ssm.get({ name: '/latest', isMutable: true });
  expect(asked()).toBe(4);
});

test('9: that there is no such parameter can be told from the error, and is not kept', async () => {
  const missing = () => ssm.get({ name: '/missing', isMutable: false });
  const error: unknown = await missing().catch((thrown: unknown) => thrown);
  expect(isAwsNotFound(error)).toBe(true);
  expect(error).toMatchObject({
    message: expect.stringMatching(/^getting ssm parameter, .* \(parameter=\/missing\)$/),
  });
  aws.cloud.parameters.set('/missing', 'ami-1');
  expect(await missing()).toBe('ami-1');
});

test('9: what a parameter said is forgotten half an hour after its image was deprecated, if it can change', async () => {
  const amis = new DefaultAmiProvider({
    ec2: aws.apis.ec2,
    ssm,
    version: { get: () => '1.34' },
    clock,
    log: SILENT,
    options: DEFAULT_AWS_OPTIONS,
  });
  let uuid = 0;
  const random = { next: () => 0, suffix: () => '', uuid: () => String(uuid++) };
  const controller = new SsmInvalidationController({ ssm, amis, random });
  await ssm.get({ name: '/latest', isMutable: true });
  await ssm.get({ name: '/version', isMutable: false });

  expect(await controller.reconcile('all', signal)).toEqual({ requeueAfter: 30 * MINUTE_MS });
  expect([...ssm.mutableValues()]).toEqual([['/latest', 'ami-own']]);

  aws.cloud.images = aws.cloud.images.map((image) => ({
    ...image,
    DeprecationTime: new Date(clock.now()).toISOString(),
  }));
  await controller.reconcile('all', signal);
  expect([...ssm.mutableValues()]).toEqual([]);
  aws.calls.clear();
  await ssm.get({ name: '/version', isMutable: false });
  expect(asked()).toBe(0);
});
