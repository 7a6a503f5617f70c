import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { logFieldsOf } from '../../../logging/error-fields.ts';
import type { Labels } from '../../../metrics/metrics.ts';
import { errorCode } from '../error-code.ts';
import { clientSettings } from './client-settings.ts';
import { connectAws } from './connect.ts';
import { pricingRegion } from './pricing-region.ts';

interface Seen {
  readonly url: string;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

const OK: Answer = {
  status: 200,
  body: '<R><subnetSet><item><subnetId>subnet-1</subnetId></item></subnetSet></R>',
};
const refusal = (status: number, code: string): Answer => ({
  status,
  body: `<Response><Errors><Error><Code>${code}</Code><Message>not you</Message></Error></Errors></Response>`,
});

const seen: Seen[] = [];
let answers: Answer[] = [];
let server: Server;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ url: request.url ?? '', body, headers: request.headers });
    const answer = answers.shift() ?? OK;
    response
      .writeHead(answer.status, { 'content-type': answer.type ?? 'text/xml', 'x-amzn-requestid': 'r-2' })
      .end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

beforeEach(() => {
  seen.length = 0;
  answers = [];
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_REGION', 'eu-west-3');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'key');
});

afterEach(() => vi.unstubAllEnvs());

async function connected() {
  const counted: { name: string; labels?: Labels }[] = [];
  const observed: [name: string, value: number][] = [];
  let time = 0;
  const clock = { now: () => (time += 500) };
  const metrics = {
    count: (name: string, labels?: Labels) => counted.push({ name, ...(labels ? { labels } : {}) }),
    observe: (name: string, value: number) => void observed.push([name, value]),
    gauge() {},
    collect() {},
  };
  const connection = await connectAws({ metrics, clock, version: '1.14.1', env: process.env });
  return { ...connection, counted, observed };
}

async function failure(work: Promise<unknown>): Promise<Error> {
  return await work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: Error) => error,
  );
}

test('a call goes signed to the endpoint of the environment, under the name of the program', async () => {
  const { region, apis } = await connected();
  const { Subnets } = await apis.ec2.describeSubnets({ Filters: [{ Name: 'tag-key', Values: ['a', 'b'] }] });
  expect(Subnets).toMatchObject([{ SubnetId: 'subnet-1' }]);
  expect(region).toBe('eu-west-3');
  expect(seen[0]?.headers['user-agent']).toMatch(/ karpenter\.sh-1\.14\.1$/);
  expect(seen[0]?.headers.authorization).toContain('/eu-west-3/ec2/aws4_request');
  expect(seen[0]?.body).toContain('Action=DescribeSubnets');
  expect(seen[0]?.body).toContain('Filter.1.Value.2=b');
});

test('a refusal keeps its code, is worded as upstream words it, and names itself on log lines', async () => {
  const { apis, counted } = await connected();
  answers = [refusal(403, 'UnauthorizedOperation')];
  const error = await failure(apis.ec2.createFleet({} as never));
  expect(errorCode(error)).toBe('UnauthorizedOperation');
  expect(error.message).toBe(
    'operation error EC2: CreateFleet, https response error StatusCode: 403, RequestID: r-2, ' +
      'api error UnauthorizedOperation: not you',
  );
  expect(logFieldsOf(new Error('launching', { cause: error }))).toEqual({
    'aws-service-name': 'EC2',
    'aws-operation-name': 'CreateFleet',
    'aws-request-id': 'r-2',
    'aws-status-code': 403,
    'aws-error-code': 'UnauthorizedOperation',
  });
  const labels = { service: 'EC2', action: 'CreateFleet', code: '403' };
  expect(counted).toEqual([
    { name: 'aws_sdk_go_request_attempt_total', labels },
    { name: 'aws_sdk_go_request_total', labels },
  ]);
});

test('what fails by chance is tried three times, and once where asked', async () => {
  const { apis, counted, observed } = await connected();
  answers = [refusal(503, 'Unavailable'), refusal(503, 'Unavailable')];
  await apis.ec2.describeSubnets({});
  expect(counted.map(({ name, labels }) => `${name} ${labels?.code}`)).toEqual([
    'aws_sdk_go_request_attempt_total 503',
    'aws_sdk_go_request_attempt_total 503',
    'aws_sdk_go_request_attempt_total 200',
    'aws_sdk_go_request_total 200',
  ]);
  // Half a second passes whenever somebody looks at the clock.
  expect(observed).toEqual([
    ['aws_sdk_go_request_attempt_duration_seconds', 0.5],
    ['aws_sdk_go_request_attempt_duration_seconds', 0.5],
    ['aws_sdk_go_request_attempt_duration_seconds', 0.5],
    ['aws_sdk_go_request_duration_seconds', 3.5],
    ['aws_sdk_go_request_retry_count', 2],
  ]);
  answers = [refusal(503, 'Unavailable')];
  expect(errorCode(await failure(apis.ec2.describeSubnets({}, { once: true })))).toBe('Unavailable');
});

test('the zonal shifts of a cluster come by a signed request', async () => {
  const { apis } = await connected();
  const shifts = [{ awayFrom: 'euw3-az1', expiryTime: 5, appliedStatus: 'APPLIED' }];
  answers = [
    { status: 200, body: JSON.stringify({ zonalShifts: shifts }), type: 'application/json' },
    { status: 404, body: '{"message":"no such"}', type: 'application/json' },
  ];
  const resourceIdentifier = 'arn:aws:eks:eu-west-3:1:cluster/c';
  expect(await apis.arcZonalShift.getManagedResource({ resourceIdentifier })).toMatchObject({ zonalShifts: shifts });
  expect(seen[0]?.url).toBe('/managedresources/arn%3Aaws%3Aeks%3Aeu-west-3%3A1%3Acluster%2Fc');
  expect(seen[0]?.headers.authorization).toContain('/eu-west-3/arc-zonal-shift/aws4_request');
  expect((await failure(apis.arcZonalShift.getManagedResource({ resourceIdentifier }))).message).toContain('no such');
});

test('STS tells who we are, and the SDK where the credentials come from', async () => {
  const { identity } = await connected();
  const arn = 'arn:aws:sts::123456789012:assumed-role/k/s';
  answers = [
    { status: 200, body: `<R><Arn>${arn}</Arn><UserId>x</UserId><Account>123456789012</Account></R>` },
    refusal(403, 'ExpiredToken'),
  ];
  expect(await identity.getCallerIdentity({})).toEqual({ arn, account: '123456789012' });
  expect(seen[0]?.body).toBe('Action=GetCallerIdentity&Version=2011-06-15');
  expect(seen[0]?.headers.authorization).toContain('/eu-west-3/sts/aws4_request');
  const error = await failure(identity.getCallerIdentity({}));
  expect([errorCode(error), error.message]).toEqual(['ExpiredToken', expect.stringContaining('not you')]);
  expect(await identity.credentials({})).toEqual({ source: 'AWS_ACCESS_KEY_ID in the environment' });
});

const nothingConfigured = (): void => {
  vi.stubEnv('AWS_REGION', '');
  vi.stubEnv('AWS_CONFIG_FILE', '/nowhere');
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere');
};

test('1.2: the region is that of the environment, else that of the machine', async () => {
  nothingConfigured();
  vi.stubEnv('AWS_DEFAULT_REGION', 'eu-north-1');
  expect((await connected()).region).toBe('eu-north-1');
  vi.stubEnv('AWS_DEFAULT_REGION', '');
  vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', process.env.AWS_ENDPOINT_URL);
  answers = [
    { status: 200, body: 'token', type: 'text/plain' },
    { status: 200, body: 'ap-south-2', type: 'text/plain' },
  ];
  expect((await connected()).region).toBe('ap-south-2');
  expect(seen.map(({ url }) => url)).toEqual(['/latest/api/token', '/latest/meta-data/placement/region']);
});

test('1.1: a request may take four minutes', () => {
  const { requestHandler } = clientSettings('eu-west-3', '1.14.1', {});
  // What it was made with is not to be had before the first request.
  const { configProvider } = requestHandler as unknown as { readonly configProvider: Promise<object> };
  return expect(configProvider).resolves.toMatchObject({ requestTimeout: 240_000, throwOnRequestTimeout: true });
});

test('without a region in sight there is no connection', async () => {
  nothingConfigured();
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
  expect((await failure(connected())).message).toMatch(/^unable to determine region from IMDS/);
});

test.each([
  ['us-west-2', 'us-east-1'],
  ['ap-northeast-1', 'ap-south-1'],
  ['cn-north-1', 'cn-northwest-1'],
  ['eu-north-1', 'eu-central-1'],
  ['sa-east-1', 'us-east-1'],
])('prices of %s are asked for in %s', (region, endpoint) => {
  expect(pricingRegion(region)).toBe(endpoint);
});
