import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatMilli,
  formatQuantity,
  parseQuantity,
  parseQuantityMilli,
  type QuantityError,
  subtractQuantities,
} from './quantity.ts';

describe('canonical text', () => {
  // Outputs of Go's resource.MustParse(input).String(), v0.36.
  it.each([
    ['0', '0'],
    ['0Gi', '0'],
    ['-0', '0'],
    ['.', '0'],
    ['1', '1'],
    ['0.5', '500m'],
    ['1.5', '1500m'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['1100m', '1100m'],
    ['1000', '1k'],
    ['1500', '1500'],
    ['1000000', '1M'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['12e1', '120'],
    ['1e-3', '1e-3'],
    ['1024', '1024'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1152Mi', '1152Mi'],
    ['0.5Gi', '512Mi'],
    ['0.5Mi', '512Ki'],
    ['0.5Ki', '512'],
    ['0.0001Ki', '102400u'],
    ['0.1n', '1n'],
    ['1.23456789012n', '2n'],
    ['-1.5', '-1500m'],
    ['-1Gi', '-1Gi'],
    ['+1', '+1'],
    ['1.500', '1.500'],
    ['9Ei', '9223372036854775807'],
    ['12E', '12E'],
    ['1Pi', '1Pi'],
    ['3145728Ki', '3Gi'],
  ])('%s is written %s', (input, expected) => {
    expect(canonicalQuantity(input)).toBe(expected);
  });

  it('keeps the value of any quantity, and is a fixed point', () => {
    const suffix = fc.constantFrom(
      '',
      'n',
      'u',
      'm',
      'k',
      'M',
      'G',
      'T',
      'P',
      'Ki',
      'Mi',
      'Gi',
      'Ti',
      'e3',
      'E-2',
      'e+4',
    );
    const decimal = fc.tuple(fc.constantFrom('', '-', '+'), fc.nat(), fc.option(fc.nat(999_999)), suffix);
    fc.assert(
      fc.property(decimal, ([sign, whole, fraction, unit]) => {
        const quantity = parseQuantity(`${sign}${whole}${fraction === null ? '' : `.${fraction}`}${unit}`);
        const text = formatQuantity({ ...quantity, text: undefined });
        expect(compareQuantities(parseQuantity(text), quantity)).toBe(0);
        expect(formatQuantity({ ...parseQuantity(text), text: undefined })).toBe(text);
      }),
    );
  });
});

describe('malformed text', () => {
  it.each([
    ['', 'format'],
    [' 1', 'format'],
    ['1 ', 'format'],
    ['1.5.5', 'format'],
    ['abc', 'format'],
    ['1e3i', 'format'],
    ['0x10', 'format'],
    ['1Kii', 'suffix'],
    ['1K', 'suffix'],
    ['1e', 'suffix'],
    ['1k5', 'suffix'],
    ['1-5', 'suffix'],
    ['1m-', 'suffix'],
    ['Ei', 'numeric'],
  ])('%j is refused for its %s', (input, code) => {
    expect(() => parseQuantity(input)).toThrowError(
      expect.objectContaining({ name: 'QuantityError', code }) as QuantityError,
    );
  });
});

describe('arithmetic', () => {
  it.each([
    ['1', '1000m', 0],
    ['1Gi', '1G', 1],
    ['1n', '1u', -1],
    ['-1', '1', -1],
    ['-2', '-1', -1],
    ['1e2000000000', '1e1999999999', 1],
    ['0', '0Ki', 0],
  ])('%s compared with %s is %i', (a, b, expected) => {
    expect(compareQuantities(parseQuantity(a), parseQuantity(b))).toBe(expected);
  });

  it.each([
    ['1', '500m', '1500m'],
    ['0', '1Gi', '1Gi'],
    ['1Gi', '512Mi', '1536Mi'],
    ['1Gi', '1', '1073741825'],
    ['1Gi', '100m', '1073741824100m'],
  ])('%s plus %s is %s', (a, b, expected) => {
    expect(formatQuantity(addQuantities(parseQuantity(a), parseQuantity(b)))).toBe(expected);
  });

  it('gives back what was taken away', () => {
    const amount = fc
      .tuple(fc.nat(), fc.constantFrom('m', '', 'Ki', 'G', 'n'))
      .map(([n, unit]) => parseQuantity(`${n}${unit}`));
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        expect(compareQuantities(subtractQuantities(addQuantities(a, b), b), a)).toBe(0);
      }),
    );
  });
});

describe('thousandths', () => {
  it.each([
    ['1500m', 1500],
    ['1.5', 1500],
    ['1Ki', 1_024_000],
    ['1u', 1],
    ['1001u', 2],
    ['-1001u', -2],
    ['16Gi', 17_179_869_184_000],
    ['1e3', 1_000_000],
    ['8Pi', 9_007_199_254_740_992_000],
    ['1e500', 1e300],
    ['-1e5000000', -1e300],
  ])('%s is %d', (input, expected) => {
    expect(parseQuantityMilli(input)).toBe(expected);
  });

  it.each([
    ['cpu', 4950, '4950m'],
    ['cpu', 8000, '8'],
    ['memory', 8 * 2 ** 30 * 1000, '8Gi'],
    ['memory', 1152 * 2 ** 20 * 1000, '1152Mi'],
    ['memory', 1_000_001_000, '1000001'],
    ['memory', 500_000_000_000, '500M'],
    ['ephemeral-storage', 20 * 2 ** 30 * 1000, '20Gi'],
    ['pods', 110_000, '110'],
    ['nvidia.com/gpu', 0, '0'],
  ])('%s of %d thousandths prints as %s', (resource, milli, expected) => {
    expect(formatMilli(resource, milli)).toBe(expected);
  });

  it('agrees with exact reading for every plain notation', () => {
    const text = fc
      .tuple(fc.nat(999_999_999), fc.constantFrom('', 'm', 'k', 'M', 'Ki', 'Mi'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (plain) => {
        expect(parseQuantityMilli(plain)).toBe(parseQuantityMilli(`0${plain.replace(/^(\d+)/, '$1.0')}`));
      }),
    );
  });
});
