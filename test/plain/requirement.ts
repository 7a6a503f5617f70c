/** What one label may be (karpenter-core.md 4.1), as plain data and functions on it. */
import { normalizedLabel } from '../../src/apis/normalized-labels.ts';

/** One of `values`; or, with `others`, anything but them that is within the bounds. */
export interface Wish {
  readonly key: string;
  readonly others: boolean;
  readonly values: ReadonlySet<string>;
  readonly gte?: number | undefined;
  readonly lte?: number | undefined;
  readonly minValues?: number | undefined;
}

export interface Item {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

export function oneOf(key: string, values: Iterable<string>, minValues?: number): Wish {
  return { key, others: false, values: new Set(values), minValues };
}

export function wish({ key: given, operator, values = [], minValues }: Item): Wish {
  const key = normalizedLabel(given);
  const number = /^[+-]?\d+$/.test(values[0] ?? '') ? Number(values[0]) : 0;
  const anything = { key, others: true, values: new Set<string>(), minValues };
  switch (operator) {
    case 'In':
      return oneOf(key, values, minValues);
    case 'NotIn':
      return { ...anything, values: new Set(values) };
    case 'DoesNotExist':
      return oneOf(key, [], minValues);
    case 'Gt':
      return number >= 2 ** 63 - 1 ? oneOf(key, []) : { ...anything, gte: number + 1 };
    case 'Gte':
      return { ...anything, gte: number };
    case 'Lt':
      return { ...anything, lte: number - 1 };
    case 'Lte':
      return { ...anything, lte: number };
    default:
      return anything;
  }
}

export function both(a: Wish, b: Wish): Wish {
  const gte = tighter(Math.max, a.gte, b.gte);
  const lte = tighter(Math.min, a.lte, b.lte);
  const minValues = tighter(Math.max, a.minValues, b.minValues);
  if (gte !== undefined && lte !== undefined && gte > lte) return oneOf(a.key, [], minValues);
  const inside = (value: string): boolean => isWithin(value, gte, lte);
  if (a.others && b.others) {
    const values = new Set([...a.values, ...b.values].filter(inside));
    return { key: a.key, others: true, values, gte, lte, minValues };
  }
  const [listed, other] = a.others ? [b, a] : [a, b];
  const values = [...listed.values].filter((value) => other.values.has(value) !== other.others && inside(value));
  return oneOf(a.key, values, minValues);
}

/** Whether some value satisfies both. */
export function overlap(a: Wish, b: Wish): boolean {
  const { others, values, gte, lte } = both(a, b);
  if (others) return gte === undefined || lte === undefined || gte <= lte;
  return values.size > 0;
}

export function allows({ others, values, gte, lte }: Wish, value: string): boolean {
  return values.has(value) !== others && isWithin(value, gte, lte);
}

/** A node without the label will do: NotIn or DoesNotExist. */
export function allowsMissing({ others, values }: Wish): boolean {
  return others ? values.size > 0 : values.size === 0;
}

function isWithin(value: string, gte: number | undefined, lte: number | undefined): boolean {
  if (gte === undefined && lte === undefined) return true;
  const number = /^[+-]?\d+$/.test(value) ? Number(value) : Number.NaN;
  return !(Number.isNaN(number) || number < (gte ?? number) || number > (lte ?? number));
}

function tighter(pick: (a: number, b: number) => number, a?: number, b?: number): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return pick(a, b);
}
