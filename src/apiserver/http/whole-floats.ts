import { isObject } from '../json.ts';
import type { Json } from '../kind.ts';

/** A whole number that a text writes with a fraction or an exponent. */
class WholeFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** What engines tell a reviver besides key and value. */
interface Source {
  readonly source?: string;
}

/**
 * Whole numbers that a JSON text writes as `2.0` or `2e0`, by their path (`spec.replicas`). Go keeps them apart from integers,
 * which the parsed value can't; undefined where there are none.
 */
export function wholeFloats(text: string): ReadonlyMap<string, number> | undefined {
  if (!/\d(?:\.0+\b|[eE])/.test(text)) return undefined;
  const found = new Map<string, number>();
  const marked: unknown = JSON.parse(text, ((_key: string, value: unknown, { source = '' }: Source) =>
    typeof value === 'number' && Number.isInteger(value) && !/^-?\d+$/.test(source)
      ? new WholeFloat(value)
      : value) as (this: unknown, key: string, value: unknown) => unknown);
  collect(marked, '', found);
  return found.size === 0 ? undefined : found;
}

const collect = (value: unknown, path: string, found: Map<string, number>): void => {
  if (value instanceof WholeFloat) found.set(path, value.value);
  else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) collect(item, `${path}[${at}]`, found);
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value as Readonly<Record<string, Json | undefined>>)) {
      collect(item, path === '' ? name : `${path}.${name}`, found);
    }
  }
};
