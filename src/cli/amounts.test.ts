import { describe, expect, it } from 'vitest';
import { formatAmount, formatHourly, formatMonthly, formatPercent } from './amounts.ts';

describe('amounts', () => {
  it.each([
    ['cpu', 250, '0.25'],
    ['cpu', 16_000, '16'],
    ['cpu', 15_900, '15.9'],
    ['memory', 512 * 2 ** 20 * 1000, '512Mi'],
    ['memory', 1.5 * 2 ** 30 * 1000, '1.5Gi'],
    ['pods', 110_000, '110'],
  ])('%s of %d thousandths reads %s', (resource, milli, text) => {
    expect(formatAmount(resource, milli)).toBe(text);
  });
});

describe('prices', () => {
  it.each([
    [0, '$0.00/h'],
    [0.0271, '$0.0271/h'],
    [1.9261, '$1.93/h'],
  ])('%d an hour reads %s', (price, text) => {
    expect(formatHourly(price)).toBe(text);
  });

  it('make a month of 730 hours', () => {
    expect(formatMonthly(0.1)).toBe('$73.00/month');
  });
});

it('has no share of nothing', () => {
  expect(formatPercent(1, 0)).toBe('-');
  expect(formatPercent(1, 8)).toBe('13%');
});
