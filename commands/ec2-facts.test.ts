import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { Ec2Facts, type FactsQuestion } from './ec2-facts.ts';

const PRODUCT = {
  product: { attributes: { instanceType: 'm5.large' } },
  terms: { OnDemand: { a: { priceDimensions: { b: { pricePerUnit: { USD: '0.125' } } } } } },
};
/** What AWS says to each call, in its own format. */
const ANSWERS: Readonly<Record<string, string>> = {
  DescribeInstanceTypes:
    '<R><instanceTypeSet><item><instanceType>m5.large</instanceType><hypervisor>nitro</hypervisor></item></instanceTypeSet></R>',
  DescribeInstanceTypeOfferings:
    '<R><instanceTypeOfferingSet><item><instanceType>m5.large</instanceType><location>eu-west-3b</location></item></instanceTypeOfferingSet></R>',
  DescribeSpotPriceHistory:
    '<R><spotPriceHistorySet><item><instanceType>m5.large</instanceType><availabilityZone>eu-west-3b</availabilityZone><spotPrice>0.05</spotPrice><timestamp>2026-03-01T00:00:00.000Z</timestamp></item></spotPriceHistorySet></R>',
  GetProducts: JSON.stringify({ PriceList: [JSON.stringify(PRODUCT)] }),
};
const REFUSAL =
  '<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>not you</Message></Error></Errors></Response>';
const QUESTION: FactsQuestion = { wanted: 'either', region: 'eu-west-3', zones: [{ zone: 'eu-west-3b' }] };

let server: Server;
let home: string;
let seen: string[];
let refuses: boolean;
let said: string[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const target = String(request.headers['x-amz-target'] ?? '').split('.')[1];
    const call = target ?? new URLSearchParams(body).get('Action') ?? '';
    seen.push(call);
    const type = target ? 'application/x-amz-json-1.1' : 'text/xml';
    response
      .writeHead(refuses ? 403 : 200, { 'content-type': type, 'x-amzn-requestid': 'r-1' })
      .end(refuses ? REFUSAL : ANSWERS[call]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'facts-'));
  [seen, said, refuses] = [[], [], false];
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CACHE_HOME', '');
  vi.stubEnv('AWS_ENDPOINT_URL', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'key');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

/** As a program would that has just been started. */
const find = (question: Partial<FactsQuestion> = {}) =>
  new Ec2Facts({ env: { ...process.env }, version: '1', say: (line) => said.push(line) }).find(
    { ...QUESTION, ...question },
    new AbortController().signal,
  );

test('AWS is asked by calls that only read, and what it says holds for an hour', async () => {
  const { facts, ec2 } = await find();
  expect([...new Set(seen)].sort()).toEqual(Object.keys(ANSWERS).sort());
  expect(said).toEqual(['asking AWS what EC2 sells in eu-west-3 …']);
  expect(facts.onDemand.get('m5.large')).toBe(0.125);
  expect(facts.spot?.get('m5.large')?.get('eu-west-3b')).toBe(0.05);
  expect(ec2).toBeDefined();
  seen.length = 0;
  const again = await find();
  expect(seen).toEqual([]);
  expect(again.note).toMatch(/^EC2's types and prices are from AWS \(eu-west-3, asked \d+s ago\)/);
  expect(again.facts).toEqual(facts);
});

test('who wants AWS gets what it says now', async () => {
  await find();
  seen.length = 0;
  await find({ wanted: 'aws' });
  expect(seen.length).toBeGreaterThan(0);
});

test('what one account was told is not told to another', async () => {
  await find();
  seen.length = 0;
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'other');
  await find();
  expect(seen.length).toBeGreaterThan(0);
});

test('without credentials, or where AWS refuses, the program’s own will do, and it says why', async () => {
  refuses = true;
  const refused = await find();
  expect(refused.note).toMatch(
    /^AWS can't be asked \(.*not you.*\): EC2's types and list prices are the program's own/,
  );
  expect(refused.facts.onDemand.get('m5.large')).toBe(0.096);
  vi.stubEnv('AWS_ACCESS_KEY_ID', '');
  expect((await find()).note).toMatch(/^no AWS credentials found: EC2's types/);
});
