import type { SpotPrice } from '@aws-sdk/client-ec2';
import type { GetProductsRequest } from '@aws-sdk/client-pricing';
import { expect, test } from 'vitest';
import { awsError, scriptedApi } from '../../../../test/aws/scripted-api.ts';
import { SILENT } from '../../../logging/logger.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import type { Ec2Api, PricingApi } from '../../aws-api/apis.ts';
import { Ec2PricingProvider, type PricingProviderDeps } from './pricing-provider.ts';
import { pricingEndpointRegion } from './regions.ts';

const TABLES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'us-east-1': { 'm5.large': 0.096, 'c1.medium': 0.13 },
  'cn-north-1': { 'm5.large': 0.7 },
  'us-gov-west-1': { 'm5.large': 0.12 },
  'us-gov-east-1': { 'm5.large': 0.121 },
};

/** One product as the price list has it. */
const product = (instanceType: string | undefined, price: string, currency = 'USD') =>
  JSON.stringify({
    product: { attributes: { ...(instanceType ? { instanceType } : {}), vcpu: '2' }, sku: 'SKU' },
    terms: {
      OnDemand: { 'SKU.TERM': { priceDimensions: { 'SKU.TERM.RATE': { pricePerUnit: { [currency]: price } } } } },
    },
  });

const isMetal = ({ Filters = [] }: GetProductsRequest) => Filters.some(({ Value }) => Value === 'Dedicated');

function pricing(
  products: (input: GetProductsRequest) => readonly (readonly string[])[],
  spot: readonly (readonly SpotPrice[])[] = [],
  changes: Partial<PricingProviderDeps> = {},
) {
  const page = <T>(all: readonly T[], token = '0') => ({
    items: all[Number(token)],
    ...(all.length > Number(token) + 1 ? { NextToken: String(Number(token) + 1) } : {}),
  });
  const priceList = scriptedApi<PricingApi>({
    getProducts: async (input) => {
      const { items, ...rest } = page(products(input), input.NextToken);
      return { PriceList: [...(items ?? [])], ...rest };
    },
  });
  const ec2 = scriptedApi<Pick<Ec2Api, 'describeSpotPriceHistory'>>({
    describeSpotPriceHistory: async ({ NextToken }) => {
      const { items, ...rest } = page(spot, NextToken);
      return { SpotPriceHistory: [...(items ?? [])], ...rest };
    },
  });
  const clock = new VirtualClock();
  const provider = new Ec2PricingProvider({
    ec2: ec2.api,
    pricing: priceList.api,
    clock,
    log: SILENT,
    region: 'us-west-2',
    isolatedVPC: false,
    listPrices: (region) => TABLES[region] && { prices: new Map(Object.entries(TABLES[region])) },
    ...changes,
  });
  return { provider, priceList, ec2, clock };
}

const one = (input: GetProductsRequest) => [[product(isMetal(input) ? 'm5.metal' : 'm5.large', '5')]];

test.each([
  ['us-east-1', 0.096],
  ['eu-west-3', 0.096],
  ['cn-north-1', 0.7],
  ['cn-northwest-1', 0.7],
  ['us-gov-east-1', 0.121],
  ['us-gov-west-1', 0.12],
])('before any refresh %s has the prices of a table, for spot too, in every zone', (region, price) => {
  const { provider } = pricing(one, [], { region });
  expect(provider.onDemandPrice('m5.large')).toBe(price);
  expect(provider.spotPrice('m5.large', 'anywhere')).toBe(price);
  expect(provider.onDemandPrice('x9.huge')).toBeUndefined();
  expect(provider.spotPrice('x9.huge', 'anywhere')).toBeUndefined();
});

test('asks for shared and for bare-metal prices in the words of the price list', async () => {
  const { provider, priceList } = pricing(one);
  await provider.updateOnDemandPricing();
  const inputs = priceList.inputs('getProducts');
  const asked = inputs.map(({ Filters = [] }) => Object.fromEntries(Filters.map(({ Field, Value }) => [Field, Value])));
  const common = {
    regionCode: 'us-west-2',
    serviceCode: 'AmazonEC2',
    preInstalledSw: 'NA',
    operatingSystem: 'Linux',
    capacitystatus: 'Used',
    marketoption: 'OnDemand',
  };
  expect(asked).toEqual([
    { ...common, tenancy: 'Shared', productFamily: 'Compute Instance' },
    { ...common, tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' },
  ]);
  for (const input of inputs) expect(input).toMatchObject({ ServiceCode: 'AmazonEC2', MaxResults: 100 });
  expect(inputs.flatMap(({ Filters = [] }) => Filters).every(({ Type }) => Type === 'TERM_MATCH')).toBe(true);
  expect(provider.onDemandPrice('m5.large')).toBe(5);
  expect(provider.onDemandPrice('m5.metal')).toBe(5);
});

test('reads all pages of the price list, and keeps prices that it no longer has', async () => {
  const { provider } = pricing((input) =>
    isMetal(input) ? one(input) : [[product('m6i.large', '0.1')], [product('m7i.large', '0.2')], []],
  );
  await provider.updateOnDemandPricing();
  expect(provider.onDemandPrice('m6i.large')).toBe(0.1);
  expect(provider.onDemandPrice('m7i.large')).toBe(0.2);
  expect(provider.onDemandPrice('c1.medium')).toBe(0.13);
  expect([...provider.instanceTypes()].sort()).toEqual(['c1.medium', 'm5.large', 'm5.metal', 'm6i.large', 'm7i.large']);
});

test('passes over products that cost nothing, have no type or another currency, or are no JSON', async () => {
  const { provider } = pricing((input) =>
    isMetal(input)
      ? one(input)
      : [
          [
            product('m5.large', '0.0000'),
            product(undefined, '3'),
            '{',
            product('c1.medium', '4', 'CNY'),
            product('t3.nano', '0.01'),
          ],
        ],
  );
  await provider.updateOnDemandPricing();
  expect(provider.onDemandPrice('m5.large')).toBe(0.096);
  expect(provider.onDemandPrice('c1.medium')).toBe(0.13);
  expect(provider.onDemandPrice('t3.nano')).toBe(0.01);
  expect([...provider.instanceTypes()].sort()).toEqual(['c1.medium', 'm5.large', 'm5.metal', 't3.nano']);
});

test('the version of prices grows with every refresh that changes one, and with no other', async () => {
  let price = '0.1';
  const { provider } = pricing(
    (input) => (isMetal(input) ? one(input) : [[product('m5.large', price)]]),
    [[spotPrice('m5.large', 'a', '0.03')]],
  );
  const versions = [provider.version];
  const refresh = async (work: Promise<void>) => {
    await work.catch(() => undefined);
    versions.push(provider.version);
  };
  await refresh(provider.updateOnDemandPricing());
  await refresh(provider.updateSpotPricing());
  await refresh(provider.updateOnDemandPricing());
  await refresh(provider.updateSpotPricing());
  price = '0.2';
  await refresh(provider.updateOnDemandPricing());
  expect(versions).toEqual([0, 1, 2, 2, 2, 3]);
});

test('in China prices are in yuan', async () => {
  const both = (price: string, currency: string) => product('t3.nano', price, currency);
  const { provider } = pricing(() => [[both('0.1', 'CNY'), both('9', 'USD')]], [], { region: 'cn-north-1' });
  await provider.updateOnDemandPricing();
  expect(provider.onDemandPrice('t3.nano')).toBe(0.1);
});

test.each([
  [
    'either list is empty',
    (input: GetProductsRequest) => (isMetal(input) ? [[]] : one(input)),
    /^no on-demand pricing found$/,
  ],
  [
    'a call fails',
    () => {
      throw awsError('AccessDeniedException', 'denied');
    },
    /on-demand pricing data, denied$/,
  ],
])('keeps the prices it has when %s, and says so', async (_when, products, message) => {
  const { provider } = pricing(products);
  await expect(provider.updateOnDemandPricing()).rejects.toThrow(message);
  expect(provider.onDemandPrice('m5.large')).toBe(0.096);
  expect(provider.onDemandPrice('m5.metal')).toBeUndefined();
});

test.each([
  ['an isolated VPC', { isolatedVPC: true }],
  ['GovCloud', { region: 'us-gov-west-1' }],
])('asks for no price list in %s', async (_where, changes) => {
  const { provider, priceList } = pricing(one, [], changes);
  await provider.updateOnDemandPricing();
  expect(priceList.calls).toEqual([]);
});

const spotPrice = (InstanceType: string, AvailabilityZone: string, SpotPrice: string, Timestamp = new Date(0)) =>
  ({ InstanceType, AvailabilityZone, SpotPrice, Timestamp }) as SpotPrice;

test('after the first refresh only what has a spot price in the zone is on sale there', async () => {
  const { provider, ec2, clock } = pricing(one, [
    [spotPrice('m5.large', 'a', '0.03'), spotPrice('m5.large', 'b', 'free'), spotPrice('m5.large', 'e', '')],
    [spotPrice('m5.large', 'c', '0.04'), { InstanceType: 'm5.large', AvailabilityZone: 'd', SpotPrice: '0.05' }],
  ]);
  await provider.updateSpotPricing();
  expect(['a', 'b', 'c', 'd', 'e'].map((zone) => provider.spotPrice('m5.large', zone))).toEqual([
    0.03,
    undefined,
    0.04,
    undefined,
    undefined,
  ]);
  expect(provider.spotPrice('c1.medium', 'a')).toBeUndefined();
  expect(ec2.inputs('describeSpotPriceHistory')).toEqual([
    {
      ProductDescriptions: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'],
      StartTime: new Date(clock.now()),
      MaxResults: 2000,
    },
    expect.objectContaining({ NextToken: '1', MaxResults: 2000 }),
  ]);
});

test('spot prices that a later refresh no longer has stay; a refresh that finds none fails', async () => {
  const answers = [[spotPrice('m5.large', 'a', '0.03')], [spotPrice('m5.large', 'b', '0.04')], []];
  const { provider } = pricing(one, [], {
    ec2: { describeSpotPriceHistory: async () => ({ SpotPriceHistory: answers.shift() ?? [] }) },
  });
  await provider.updateSpotPricing();
  await provider.updateSpotPricing();
  const prices = () => ['a', 'b'].map((zone) => provider.spotPrice('m5.large', zone));
  expect(prices()).toEqual([0.03, 0.04]);
  await expect(provider.updateSpotPricing()).rejects.toThrow('no spot pricing found');
  expect(prices()).toEqual([0.03, 0.04]);
});

test.each([
  ['ap-northeast-1', 'ap-south-1'],
  ['cn-north-1', 'cn-northwest-1'],
  ['eu-west-1', 'eu-central-1'],
  ['us-west-2', 'us-east-1'],
  ['sa-east-1', 'us-east-1'],
])('the price list of %s is served from %s', (region, endpoint) => {
  expect(pricingEndpointRegion(region)).toBe(endpoint);
});
