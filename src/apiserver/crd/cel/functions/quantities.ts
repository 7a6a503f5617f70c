import type { Environment } from '@marcbachmann/cel-js';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  subtractQuantities,
} from '../../../../kube/quantity.ts';
import { CelValueError } from '../cel-value-error.ts';

/** A quantity as a CEL value (apiserver cel/library/quantity.go). */
class CelQuantity {
  readonly amount: Quantity;

  constructor(amount: Quantity) {
    this.amount = amount;
  }
}

const read = (text: string): CelQuantity => {
  try {
    return new CelQuantity(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) throw new CelValueError(error.message);
    throw error;
  }
};

const isQuantity = (text: string): boolean => {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof QuantityError) return false;
    throw error;
  }
};

/** The amount as a whole number, if it is one that an int64 holds. */
const whole = ({ unscaled, scale }: Quantity): bigint | undefined => {
  if (scale >= 0) {
    const value = unscaled * 10n ** BigInt(scale);
    return BigInt.asIntN(64, value) === value ? value : undefined;
  }
  const unit = 10n ** BigInt(-scale);
  return unscaled % unit === 0n ? unscaled / unit : undefined;
};

const asInteger = (quantity: CelQuantity): bigint => {
  const value = whole(quantity.amount);
  if (value === undefined) throw new CelValueError('cannot convert value to integer');
  return value;
};

const fromInt = (value: bigint): Quantity => ({ unscaled: value, scale: 0, format: 'DecimalExponent' });

const compare = (left: CelQuantity, right: CelQuantity): number => compareQuantities(left.amount, right.amount);

export const registerQuantities = (env: Environment): void => {
  env.registerType('kubernetes.Quantity', { ctor: CelQuantity, fields: {} });
  env.registerFunction('quantity(string): kubernetes.Quantity', read);
  env.registerFunction('isQuantity(string): bool', isQuantity);
  env.registerFunction('kubernetes.Quantity.sign(): int', (quantity: CelQuantity) =>
    BigInt(compareQuantities(quantity.amount, fromInt(0n))),
  );
  env.registerFunction(
    'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool',
    (a: CelQuantity, b: CelQuantity) => compare(a, b) > 0,
  );
  env.registerFunction(
    'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool',
    (a: CelQuantity, b: CelQuantity) => compare(a, b) < 0,
  );
  env.registerFunction('kubernetes.Quantity.compareTo(kubernetes.Quantity): int', (a: CelQuantity, b: CelQuantity) =>
    BigInt(compare(a, b)),
  );
  env.registerOperator(
    'kubernetes.Quantity == kubernetes.Quantity',
    (a: CelQuantity, b: CelQuantity) => compare(a, b) === 0,
  );
  env.registerFunction(
    'kubernetes.Quantity.asApproximateFloat(): double',
    ({ amount }: CelQuantity) => Number(amount.unscaled) * 10 ** amount.scale,
  );
  env.registerFunction('kubernetes.Quantity.asInteger(): int', asInteger);
  env.registerFunction(
    'kubernetes.Quantity.isInteger(): bool',
    (quantity: CelQuantity) => whole(quantity.amount) !== undefined,
  );
  env.registerFunction(
    'kubernetes.Quantity.add(kubernetes.Quantity): kubernetes.Quantity',
    (a: CelQuantity, b: CelQuantity) => new CelQuantity(addQuantities(a.amount, b.amount)),
  );
  env.registerFunction(
    'kubernetes.Quantity.add(int): kubernetes.Quantity',
    (a: CelQuantity, b: bigint) => new CelQuantity(addQuantities(a.amount, fromInt(b))),
  );
  env.registerFunction(
    'kubernetes.Quantity.sub(kubernetes.Quantity): kubernetes.Quantity',
    (a: CelQuantity, b: CelQuantity) => new CelQuantity(subtractQuantities(a.amount, b.amount)),
  );
  env.registerFunction(
    'kubernetes.Quantity.sub(int): kubernetes.Quantity',
    (a: CelQuantity, b: bigint) => new CelQuantity(subtractQuantities(a.amount, fromInt(b))),
  );
  env.registerFunction('string(kubernetes.Quantity): string', ({ amount }: CelQuantity) => formatQuantity(amount));
};
