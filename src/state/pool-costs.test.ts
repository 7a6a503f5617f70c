import { expect, test } from 'vitest';
import { nodeClaim } from '../../test/factories/index.ts';
import { instanceType } from '../../test/scheduling/schedule.ts';
import { PoolCosts } from './pool-costs.ts';

const claim = (labels: Readonly<Record<string, string>> = {}) =>
  nodeClaim({
    metadata: {
      labels: {
        'karpenter.sh/nodepool': 'p',
        'node.kubernetes.io/instance-type': 't',
        'topology.kubernetes.io/zone': 'a',
        'karpenter.sh/capacity-type': 'spot',
        ...labels,
      },
    },
  });
const sold = (price: number) => [
  instanceType('t', { cpu: '4' }, [
    { zone: 'a', capacityType: 'spot', price },
    { zone: 'a', capacityType: 'on-demand', price: 3 },
  ]),
];

test('8.13: a node costs what its pool was last told of its type, zone and capacity type', () => {
  const costs = new PoolCosts();
  expect(costs.priceOf(claim())).toBeUndefined();
  costs.setPrices('p', sold(1));
  costs.setPrices('p', sold(2));
  expect(costs.priceOf(claim())).toBe(2);
  expect(costs.priceOf(claim({ 'karpenter.sh/capacity-type': 'on-demand' }))).toBe(3);
  expect(costs.priceOf(claim({ 'karpenter.sh/nodepool': 'other' }))).toBeUndefined();
});

test('8.13: what is no longer sold still costs what it did', () => {
  const costs = new PoolCosts();
  costs.setPrices('p', sold(1));
  costs.setPrices('p', []);
  expect(costs.priceOf(claim())).toBe(1);
  costs.forget('p');
  expect(costs.priceOf(claim())).toBeUndefined();
});

test.each([
  'node.kubernetes.io/instance-type',
  'topology.kubernetes.io/zone',
  'karpenter.sh/capacity-type',
  'karpenter.sh/nodepool',
])('8.13: a claim without the label %s has no price', (label) => {
  const costs = new PoolCosts();
  costs.setPrices('p', sold(1));
  const { [label]: _, ...labels } = claim().metadata.labels ?? {};
  expect(costs.priceOf({ ...claim(), metadata: { name: 'c', labels } })).toBeUndefined();
});
