import { expect, test } from 'vitest';
import { adjustedPrice } from './adjusted-price.ts';

test.each([
  [2, '5', 5],
  [2, '0.25', 0.25],
  [2, '0', 0],
  [2, '+1.5', 3.5],
  [2, '-0.5', 1.5],
  [2, '+.5', 2.5],
  [2, '-3', 0],
  [2, '+10%', 2.2],
  [2, '+250%', 7],
  [2, '-15%', 1.7],
  [2, '-100%', 0],
  [0, '+10%', 0],
])('%d changed by %s is %d', (price, change, expected) => {
  expect(adjustedPrice(price, change)).toBeCloseTo(expected, 10);
});
