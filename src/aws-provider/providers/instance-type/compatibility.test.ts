import { expect, test } from 'vitest';
import { EC2_TYPES, ec2Type } from '../../../../test/aws/ec2-types.ts';
import { ec2NodeClass } from '../../../../test/factories/ec2-node-class.ts';
import type { EC2NodeClassSpec, NetworkInterface } from '../../apis/ec2-node-class.ts';
import type { PlacementGroup } from '../contracts.ts';
import { isCompatible } from './compatibility.ts';

const possible = (type: string, spec: Partial<EC2NodeClassSpec> = {}, group?: PlacementGroup): boolean =>
  isCompatible(ec2Type(type), ec2NodeClass({ spec }), group);

const group = (strategy: PlacementGroup['strategy']): PlacementGroup => ({
  id: 'pg-1',
  name: 'racks',
  strategy,
  partitionCount: 0,
});

const card = (
  networkCardIndex: number,
  deviceIndex: number,
  interfaceType: NetworkInterface['interfaceType'] = 'interface',
) => ({ networkCardIndex, deviceIndex, interfaceType });

test('21: AL2023 does not run on a1', () => {
  expect(possible('a1.large')).toBe(false);
  expect(possible('a1.large', { amiFamily: 'AL2' })).toBe(true);
  expect(possible('m6g.large')).toBe(true);
});

test.each([
  ['the first interface', 'm5.large', [card(0, 0)], true],
  ['as many as the card takes', 'm5.large', [card(0, 0), card(0, 2)], true],
  ['more than the card takes', 'm5.large', [card(0, 0), card(0, 3)], false],
  ['a card that the type lacks', 'm5.large', [card(0, 0), card(1, 0)], false],
  ['all cards of a large type', 'p5.48xlarge', [card(0, 0), card(31, 1)], true],
  ['EFA on a type without', 'm5.large', [card(0, 0), card(0, 1, 'efa-only')], false],
  ['EFA on a type with one', 'p3dn.24xlarge', [card(0, 0), card(0, 1, 'efa-only')], true],
  ['two EFA on a type with one', 'p3dn.24xlarge', [card(0, 1, 'efa-only'), card(0, 2, 'efa-only')], false],
  ['anything without ENA', 't2.large', [card(0, 0)], false],
] as const)('21: network interfaces: %s', (_name, type, networkInterfaces, verdict) => {
  expect(possible(type, { networkInterfaces })).toBe(verdict);
});

test('21: nested virtualization needs a processor for it', () => {
  const enabled = { cpuOptions: { nestedVirtualization: 'enabled' } };
  expect(possible('m8i.large', enabled)).toBe(true);
  expect(possible('m5.large', enabled)).toBe(false);
  expect(possible('m5.large', { cpuOptions: { nestedVirtualization: 'disabled' } })).toBe(true);
});

test('21: a placement group needs types for its strategy', () => {
  expect(possible('c5.large', {}, group('cluster'))).toBe(true);
  expect(possible('t3.large', {}, group('cluster'))).toBe(false);
  expect(possible('t3.large', {}, group('spread'))).toBe(true);
});

test('21: connection tracking needs Nitro', () => {
  const connectionTracking = { udpTimeout: 30 };
  expect(possible('m5.large', { connectionTracking })).toBe(true);
  expect(possible('t2.large', { connectionTracking })).toBe(false);
  expect(possible('m5.metal', { connectionTracking })).toBe(false);
});

test('21: a class without such wishes takes every type but a1', () => {
  const nodeClass = ec2NodeClass();
  const others = [...EC2_TYPES.values()].filter((info) => !isCompatible(info, nodeClass, undefined));
  expect(new Set(others.map(({ InstanceType }) => InstanceType?.split('.')[0]))).toEqual(new Set(['a1']));
});
