/** The three families of notation; a quantity is written back in the family it was read in. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** An exact amount: `unscaled` × 10^`scale`. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly scale: number;
  readonly format: QuantityFormat;
  /** The text it was read from, where Kubernetes would write the very same text back. */
  readonly text?: string;
}

export type QuantityErrorCode = 'format' | 'numeric' | 'suffix';

/** Kubernetes' wording for each way in which a quantity can be malformed (apimachinery pkg/api/resource). */
const MESSAGES: Readonly<Record<QuantityErrorCode, string>> = {
  format: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  numeric: 'unable to parse numeric part of quantity',
  suffix: "unable to parse quantity's suffix",
};

/** The text is no quantity. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
  readonly code: QuantityErrorCode;

  constructor(code: QuantityErrorCode) {
    super(MESSAGES[code]);
    this.code = code;
  }
}

const DECIMAL_SUFFIXES: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const BINARY_SUFFIXES: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const BINARY_NAMES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const;
const DECIMAL_NAMES = new Map(Object.entries(DECIMAL_SUFFIXES).map(([name, exponent]) => [exponent, name]));

const MAX_INT64 = 2n ** 63n - 1n;
const SHAPE = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[+-]?\d*)$/;
const EXPONENT = /^[eE]([+-]?\d+)$/;
/** No power of ten beyond this is ever built: a hostile `1e999999999` must not take the memory. */
const MAX_DIGITS = 4096;

const pow10 = (exponent: number): bigint => 10n ** BigInt(exponent);
const abs = (value: bigint): bigint => (value < 0n ? -value : value);

interface Suffix {
  readonly format: QuantityFormat;
  /** Of ten, or of two for BinarySI. */
  readonly exponent: number;
}

function interpretSuffix(suffix: string): Suffix {
  const decimal = DECIMAL_SUFFIXES[suffix];
  if (decimal !== undefined) return { format: 'DecimalSI', exponent: decimal };
  const binary = BINARY_SUFFIXES[suffix];
  if (binary !== undefined) return { format: 'BinarySI', exponent: binary };
  const match = EXPONENT.exec(suffix);
  if (match === null) throw new QuantityError('suffix');
  const exponent = Number(match[1]);
  if (exponent > 2 ** 31 - 1 || exponent < -(2 ** 31)) throw new QuantityError('suffix');
  return { format: 'DecimalExponent', exponent };
}

/**
 * Divides a non-negative number by 10^places and rounds up. A quotient that is certainly below one comes out as one
 * without building the divisor.
 */
function shrinkUp(value: bigint, places: number): bigint {
  if (value === 0n) return 0n;
  if (places > MAX_DIGITS && value.toString().length <= places) return 1n;
  const divisor = pow10(places);
  return (value + divisor - 1n) / divisor;
}

/** The amount × 10^-scale as an integer, rounded away from zero. */
function atScale(quantity: Quantity, scale: number): bigint {
  if (quantity.scale >= scale) return quantity.unscaled * pow10(Math.min(quantity.scale - scale, MAX_DIGITS));
  const magnitude = shrinkUp(abs(quantity.unscaled), scale - quantity.scale);
  return quantity.unscaled < 0n ? -magnitude : magnitude;
}

/**
 * Reads a quantity in any of Kubernetes' notations. Anything finer than a billionth is rounded away from zero, and binary
 * amounts are capped at 2^63-1, as apimachinery does.
 *
 * @throws {QuantityError} in Kubernetes' words.
 */
export function parseQuantity(text: string): Quantity {
  const match = SHAPE.exec(text);
  if (match === null || text === '') throw new QuantityError('format');
  const [, sign, whole = '', fraction = '', suffixText = ''] = match;
  const suffix = interpretSuffix(suffixText);
  const integer = whole.replace(/^0+/, '');
  // Upstream's quick path keeps the text; its limits decide what is written back as it was read.
  const digits = (integer || '0') + fraction;
  const binary = suffix.format === 'BinarySI';
  const room = binary
    ? fraction === ''
      ? 14 - (integer.length || 1) - Math.trunc((suffix.exponent * 3) / 10)
      : -1
    : 18 - digits.length;
  const scale = binary ? -fraction.length : suffix.exponent - fraction.length;
  const factor = binary ? 2n ** BigInt(suffix.exponent) : 1n;
  const value = BigInt(digits);
  const magnitude = value * factor;
  const signed = (amount: bigint): bigint => (sign === '-' ? -amount : amount);

  if (room >= 0 && scale >= -9) {
    const asWritten = binary
      ? (value & 7n) !== 0n
      : scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
    const amount = { unscaled: signed(magnitude), scale, format: suffix.format };
    return asWritten ? { ...amount, text } : amount;
  }

  if (whole === '' && fraction === '') throw new QuantityError('numeric');
  const rounded = scale < -9 ? shrinkUp(magnitude, -9 - scale) : magnitude;
  const roundedScale = Math.max(scale, -9);
  if (!binary) return { unscaled: signed(rounded), scale: roundedScale, format: suffix.format };
  const one = pow10(-roundedScale);
  if (rounded > MAX_INT64 * one) return { unscaled: signed(MAX_INT64), scale: 0, format: 'BinarySI' };
  const format = rounded < one && rounded > 0n ? 'DecimalSI' : 'BinarySI';
  return { unscaled: signed(rounded), scale: roundedScale, format };
}

/** Removes factors of `base`; returns what is left and how often it divided. */
function removeFactors(value: bigint, base: bigint): [bigint, number] {
  let rest = value;
  let times = 0;
  while (rest !== 0n && rest % base === 0n) {
    rest /= base;
    times++;
  }
  return [rest, times];
}

function formatDecimal(quantity: Quantity, format: QuantityFormat): string {
  const [rest, times] = removeFactors(quantity.unscaled, 10n);
  const exponent = quantity.scale + times;
  const over = ((exponent % 3) + 3) % 3;
  const mantissa = rest * pow10(over);
  const multiple = exponent - over;
  const name = format === 'DecimalSI' ? DECIMAL_NAMES.get(multiple) : undefined;
  if (name !== undefined) return `${mantissa}${name}`;
  return multiple === 0 ? `${mantissa}` : `${mantissa}e${multiple}`;
}

/**
 * The canonical text, as Go's Quantity.String(): no fraction, the largest suffix that loses nothing, in the family the
 * quantity was read in. One departure: an amount without SI suffix (10^21 and up) is written with an exponent, where
 * upstream drops the magnitude.
 */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  if (quantity.unscaled === 0n) return '0';
  if (quantity.format !== 'BinarySI') return formatDecimal(quantity, quantity.format);
  const whole = atScale(quantity, 0);
  const exact = quantity.scale >= 0 || whole * pow10(-quantity.scale) === quantity.unscaled;
  // Small or fractional amounts have no binary suffix that says them exactly.
  if (!exact || (whole > -1024n && whole < 1024n)) return formatDecimal(quantity, 'DecimalSI');
  const [rest, times] = removeFactors(whole, 1024n);
  const over = Math.max(0, times - (BINARY_NAMES.length - 1));
  return `${rest * 1024n ** BigInt(over)}${BINARY_NAMES[times - over]}`;
}

/** `formatQuantity(parseQuantity(text))`. */
export const canonicalQuantity = (text: string): string => formatQuantity(parseQuantity(text));

const sign = (value: bigint): -1 | 0 | 1 => (value === 0n ? 0 : value < 0n ? -1 : 1);

/** Negative, zero or positive, as `a` is less than, equal to or greater than `b`; exact. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const [signA, signB] = [sign(a.unscaled), sign(b.unscaled)];
  if (signA !== signB || signA === 0) return Math.sign(signA - signB);
  const size = (q: Quantity): number => abs(q.unscaled).toString().length + q.scale;
  const difference = size(a) - size(b);
  if (difference !== 0) return Math.sign(difference) * signA;
  const scale = Math.min(a.scale, b.scale);
  const [left, right] = [atScale(a, scale), atScale(b, scale)];
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Exact sum, in the family of `a` unless `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const format = a.unscaled === 0n ? b.format : a.format;
  if (a.unscaled === 0n) return { unscaled: b.unscaled, scale: b.scale, format };
  if (b.unscaled === 0n) return { unscaled: a.unscaled, scale: a.scale, format };
  const scale = Math.min(a.scale, b.scale);
  return { unscaled: atScale(a, scale) + atScale(b, scale), scale, format };
}

/** Exact difference, in the family of `a` unless `a` is zero. */
export const subtractQuantities = (a: Quantity, b: Quantity): Quantity =>
  addQuantities(a, { unscaled: -b.unscaled, scale: b.scale, format: b.format });

/** Larger than any real amount, and small enough that sums and differences of it are numbers. */
const LARGEST_MILLI = 1e300;

/** Thousandths of the unit, rounded away from zero; what is absurdly large counts as `LARGEST_MILLI`. */
export function quantityMilli(quantity: Quantity): number {
  if (quantity.scale > 400) return quantity.unscaled === 0n ? 0 : Number(sign(quantity.unscaled)) * LARGEST_MILLI;
  return Math.max(-LARGEST_MILLI, Math.min(LARGEST_MILLI, Number(atScale(quantity, -3))));
}

const PLAIN = /^(\d{1,9})(m|k|M|G|Ki|Mi|Gi)?$/;
const PLAIN_FACTORS: Readonly<Record<string, number>> = {
  m: 1,
  k: 1e6,
  M: 1e9,
  G: 1e12,
  Ki: 1000 * 2 ** 10,
  Mi: 1000 * 2 ** 20,
  Gi: 1000 * 2 ** 30,
};

/**
 * Thousandths of the unit as a double, rounded away from zero: `parseQuantityMilli('1500m')` and `('1.5')` are 1500,
 * `('1Ki')` is 1 024 000.
 *
 * @throws {QuantityError}
 */
export function parseQuantityMilli(text: string): number {
  const match = PLAIN.exec(text);
  if (match !== null) {
    const milli = Number(match[1]) * (match[2] === undefined ? 1000 : (PLAIN_FACTORS[match[2]] ?? 1));
    if (milli <= Number.MAX_SAFE_INTEGER) return milli;
  }
  return quantityMilli(parseQuantity(text));
}

const isBytes = (resourceName: string): boolean =>
  resourceName === 'memory' ||
  resourceName === 'storage' ||
  resourceName === 'ephemeral-storage' ||
  resourceName.startsWith('hugepages-');

/** Where doubles have lost their last digits long ago. */
const INEXACT_MILLI = 1e24;
const MILLI_OF_KI = 1000 * 2 ** 10;

/**
 * Thousandths as canonical text for a report: bytes with binary suffixes (`8Gi`, `1152Mi`) where one fits, anything else with
 * decimal ones (`500M`, `4950m`, `8`), and what no machine has with an exponent (`1e30`).
 */
export function formatMilli(resourceName: string, milli: number): string {
  if (Math.abs(milli) >= INEXACT_MILLI) return String(Number((milli / 1000).toPrecision(12))).replace('e+', 'e');
  const unscaled = BigInt(Math.ceil(milli));
  const isBinary = isBytes(resourceName) && milli % MILLI_OF_KI === 0;
  return formatQuantity({ unscaled, scale: -3, format: isBinary ? 'BinarySI' : 'DecimalSI' });
}
