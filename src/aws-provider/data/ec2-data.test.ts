import { expect, test } from 'vitest';
import { networkBandwidthMbps, networkLimitsOf, onDemandListPrices } from './ec2-data.ts';

test('21: bandwidth is known of types for which AWS gives a number', () => {
  expect(networkBandwidthMbps('m5.large')).toBe(750);
  expect(networkBandwidthMbps('p6-b300.48xlarge')).toBe(6_400_000);
  expect(networkBandwidthMbps('c3.large')).toBeUndefined();
});

test('22: branch interfaces are there only where a type can trunk', () => {
  expect(networkLimitsOf('m5.large')).toEqual({ ipv4PerInterface: 10, branchInterfaces: 9 });
  expect(networkLimitsOf('t3.large')).toEqual({ ipv4PerInterface: 12, branchInterfaces: 0 });
  expect(networkLimitsOf('constructor')).toBeUndefined();
});

test('24: each partition has its list prices, with their day', () => {
  expect(onDemandListPrices('us-east-1')).toMatchObject({ asOf: '2026-07-20' });
  expect(onDemandListPrices('us-east-1')?.prices.get('m5.large')).toBe(0.096);
  expect(onDemandListPrices('cn-north-1')?.prices.get('c5.large')).toBe(0.739);
  expect(onDemandListPrices('us-gov-west-1')?.prices.size).toBe(770);
  expect(onDemandListPrices('us-gov-east-1')?.prices.size).toBe(561);
  expect(onDemandListPrices('eu-central-1')).toBeUndefined();
});
