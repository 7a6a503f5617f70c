import { expect, it } from 'vitest';
import { parseThreshold, shareSaved, thresholdText } from './threshold.ts';

it.each([
  ['0.05', '$0.05/h'],
  ['$.5', '$0.5/h'],
  ['2', '$2/h'],
  ['12.5%', '12.5%'],
  ['', undefined],
  ['-1', undefined],
  ['10 %', undefined],
  ['ten', undefined],
])('reads %j as %s', (text, printed) => {
  const threshold = parseThreshold(text);
  expect(threshold && thresholdText(threshold)).toBe(printed);
});

it('measures a share against what the nodes cost now', () => {
  const replacement = { cheapestPrice: 3 } as Parameters<typeof shareSaved>[0]['replacements'][number];
  const move = { savings: { hourly: 1, monthly: 730, hourlyPerPod: null }, replacements: [replacement] };
  expect(shareSaved(move, { unit: 'share', value: 0 })).toBe(0.25);
  expect(shareSaved(move, { unit: 'hourly', value: 0 })).toBe(1);
  expect(
    shareSaved({ ...move, savings: { ...move.savings, hourly: 0 }, replacements: [] }, { unit: 'share', value: 0 }),
  ).toBe(0);
});
