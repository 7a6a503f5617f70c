/** What may happen between the SDK and AWS, over a real socket. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { NO_METRICS } from '../../../metrics/metrics.ts';
import type { AwsApis } from '../apis.ts';
import { errorCode, httpStatusOf } from '../error-code.ts';
import { explainDenials } from '../explained-denials.ts';
import { isDenied } from '../permissions.ts';
import { connectAws } from './connect.ts';

type Reply = (response: ServerResponse) => void;

const FLEET = '<CreateFleetResponse><fleetId>fleet-1</fleetId></CreateFleetResponse>';
const REQUEST = { LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 1 } };

const xml =
  (status: number, body: string, headers = {}): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/xml', 'x-amzn-requestid': 'r-1', ...headers }).end(body);
const refusal = (status: number, code: string, headers = {}): Reply =>
  xml(
    status,
    `<Response><Errors><Error><Code>${code}</Code><Message>no</Message></Error></Errors></Response>`,
    headers,
  );
const jsonRefusal =
  (status: number, code: string): Reply =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': code })
      .end('{"message":"no"}');
const cut: Reply = (response) => response.socket?.destroy();
const cutInTheAnswer: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'text/xml', 'content-length': FLEET.length });
  response.write(FLEET.slice(0, 30), () => response.socket?.destroy());
};
const fleet = xml(200, FLEET);

let replies: Reply[] = [];
/** Of a service that always answers the same. */
let ofService: Readonly<Record<string, Reply>> = {};
const bodies: string[] = [];
const dates: string[] = [];
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  bodies.push(body);
  dates.push(String(request.headers['x-amz-date']));
  const [, service = ''] = /([\w-]+)\/aws4_request/.exec(request.headers.authorization ?? '') ?? [];
  (ofService[service] ?? replies.shift() ?? fleet)(response);
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
beforeEach(() => {
  replies = [];
  ofService = {};
  bodies.length = 0;
  dates.length = 0;
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'eu-west-3');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'key');
});
afterEach(() => vi.unstubAllEnvs());

async function connected(): Promise<AwsApis> {
  const clock = { now: () => 0 };
  return (await connectAws({ metrics: NO_METRICS, clock, version: '1.14.1', env: process.env })).apis;
}
const failure = async (work: Promise<unknown>): Promise<unknown> =>
  await work.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );
const tokens = () => bodies.map((body) => new URLSearchParams(body).get('ClientToken'));

describe('a fleet', () => {
  test.each([
    ['before the answer', cut],
    ['in the middle of the answer', cutInTheAnswer],
  ])('whose connection is cut %s is asked for again as the same', async (_, reply) => {
    const { ec2 } = await connected();
    replies = [reply, fleet];
    expect((await ec2.createFleet(REQUEST)).FleetId).toBe('fleet-1');
    expect(bodies).toHaveLength(2);
    expect(tokens()[0]).toMatch(/^[\w-]{36}$/);
    expect(new Set(tokens()).size).toBe(1);
  });

  test('that is asked for again by the controller is another', async () => {
    const { ec2 } = await connected();
    await ec2.createFleet(REQUEST);
    await ec2.createFleet(REQUEST);
    expect(new Set(tokens()).size).toBe(2);
  });

  test('that no answer ever comes for fails without a code, after three tries', async () => {
    const { ec2 } = await connected();
    replies = [cut, cut, cut];
    const error = await failure(ec2.createFleet(REQUEST));
    expect(bodies).toHaveLength(3);
    expect((error as Error).message).toContain('operation error EC2: CreateFleet, ');
    expect(httpStatusOf(error)).toBeUndefined();
  });
});

test('what is throttled is tried three times, and says so, in every service’s words', async () => {
  const { ec2, iam, ssm, eks } = await connected();
  ofService = {
    ec2: refusal(503, 'RequestLimitExceeded'),
    iam: refusal(400, 'Throttling'),
    ssm: jsonRefusal(400, 'ThrottlingException'),
    eks: jsonRefusal(429, 'TooManyRequestsException'),
  };
  // All at once, for the SDK waits longer and longer.
  const errors = await Promise.all([
    failure(ec2.describeInstances({})),
    failure(iam.getInstanceProfile({ InstanceProfileName: 'p' })),
    failure(ssm.getParameter({ Name: 'p' })),
    failure(eks.describeCluster({ name: 'c' })),
  ]);
  expect(errors.map(errorCode)).toEqual([
    'RequestLimitExceeded',
    'Throttling',
    'ThrottlingException',
    'TooManyRequestsException',
  ]);
  expect(bodies).toHaveLength(12);
});

test('a call that AWS denies says which statement is missing, though its client is loaded late', async () => {
  const { ec2 } = explainDenials(await connected());
  replies = [refusal(403, 'UnauthorizedOperation')];
  const error = await failure(ec2.describeSubnets({}));
  expect((error as Error).message).toContain('missing permission: ec2:DescribeSubnets, granted by statement ');
});

test('credentials that have expired are told as such, and not tried again', async () => {
  const { ec2 } = await connected();
  replies = [refusal(400, 'ExpiredToken'), refusal(400, 'ExpiredToken')];
  const error = await failure(ec2.createFleet(REQUEST));
  expect(errorCode(error)).toBe('ExpiredToken');
  expect(isDenied(error)).toBe(false);
  expect((error as Error).message).toContain('api error ExpiredToken: no');
  expect(bodies).toHaveLength(1);
});

test('a clock that is wrong by hours is corrected by AWS’s own', async () => {
  const { ec2 } = await connected();
  const aws = new Date(Date.now() + 5 * 3_600_000);
  replies = [refusal(400, 'RequestExpired', { date: aws.toUTCString() }), fleet];
  expect((await ec2.createFleet(REQUEST)).FleetId).toBe('fleet-1');
  const [, second = ''] = dates;
  expect(second.slice(0, 11)).toBe(aws.toISOString().replaceAll(/[-:]/g, '').slice(0, 11));
});

describe('an answer that is none of AWS’s', () => {
  const PAGE = '<html><body>Who goes there?</body></html>';
  const page =
    (status: number, body = PAGE): Reply =>
    (response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  test('is an error with its status', async () => {
    const { ec2, arcZonalShift } = await connected();
    replies = [page(502), page(502), page(502)];
    expect(httpStatusOf(await failure(ec2.describeInstances({})))).toBe(502);
    replies = [page(502)];
    expect(httpStatusOf(await failure(arcZonalShift.getManagedResource({ resourceIdentifier: 'c' })))).toBe(502);
  });

  test('is an error though it claims to be well, lest it be read as a list of nothing', async () => {
    const { ec2, ssm, arcZonalShift } = await connected();
    const calls = [
      () => ec2.describeInstances({}),
      () => ssm.getParameter({ Name: 'p' }),
      () => arcZonalShift.getManagedResource({ resourceIdentifier: 'c' }),
    ];
    for (const body of [PAGE, 'no markup', '']) {
      for (const call of calls) {
        replies = [page(200, body)];
        expect(await failure(call())).toBeInstanceOf(Error);
      }
    }
  });
});
