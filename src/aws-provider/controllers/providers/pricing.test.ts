import { expect, test } from 'vitest';
import { PricingController } from './pricing.ts';

const fine = async () => {};
const broken = (message: string) => async () => {
  throw new Error(message);
};
const { signal } = new AbortController();

test('both kinds of prices are refreshed every twelve hours', async () => {
  let refreshed = 0;
  const count = async () => {
    refreshed++;
  };
  const controller = new PricingController({ pricing: { updateOnDemandPricing: count, updateSpotPricing: count } });
  expect(await controller.reconcile('all', signal)).toEqual({ requeueAfter: 12 * 3_600_000 });
  expect(refreshed).toBe(2);
});

test.each([
  ['spot', { updateSpotPricing: broken('no spot'), updateOnDemandPricing: fine }, 'updating pricing, no spot'],
  ['on-demand', { updateSpotPricing: fine, updateOnDemandPricing: broken('no list') }, 'updating pricing, no list'],
  [
    'both',
    { updateSpotPricing: broken('no spot'), updateOnDemandPricing: broken('no list') },
    'updating pricing, no spot; no list',
  ],
])('a refresh that fails for %s is tried again', async (_which, pricing, message) => {
  await expect(new PricingController({ pricing }).reconcile('all', signal)).rejects.toThrow(message);
});
