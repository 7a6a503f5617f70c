import type { NodeSelectorRequirementWithMinValues, RequirementOperator } from '../apis/node-pool.ts';
import { normalizedLabel, normalizedValues } from '../apis/normalized-labels.ts';

interface RequirementParts {
  readonly key: string;
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  readonly gte?: number;
  readonly lte?: number;
  readonly minValues?: number;
}

/** How many sorted values a printed requirement shows before it says "and N others". */
const PRINTED_VALUES = 5;
const NOTHING: ReadonlySet<string> = new Set();
const LARGEST_BOUND = 2 ** 63 - 1;
const INTEGER = /^[+-]?\d+$/;

/** Whether a value satisfies the bounds; with any bound set, what is not an integer does not. */
function withinBounds(value: string, gte: number | undefined, lte: number | undefined): boolean {
  if (gte === undefined && lte === undefined) return true;
  if (!INTEGER.test(value)) return false;
  const number = Number(value);
  return (gte === undefined || number >= gte) && (lte === undefined || number <= lte);
}

/** As Go reads a bound: what is no integer counts as zero. */
function integerOf(value: string | undefined): number {
  return value !== undefined && INTEGER.test(value) ? Number(value) : 0;
}

function larger(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.max(a, b);
}

function smaller(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined) return b;
  return b === undefined ? a : Math.min(a, b);
}

/**
 * What one label key may be: a set of values, or everything but a set (`complement`), within optional integer bounds.
 * Immutable. Behaviour of upstream's pkg/scheduling/requirement.go (karpenter-core.md 4.1).
 */
export class Requirement {
  readonly key: string;
  readonly complement: boolean;
  readonly values: ReadonlySet<string>;
  readonly gte: number | undefined;
  readonly lte: number | undefined;
  readonly minValues: number | undefined;

  private constructor(parts: RequirementParts) {
    this.key = parts.key;
    this.complement = parts.complement;
    this.values = parts.values;
    this.gte = parts.gte;
    this.lte = parts.lte;
    this.minValues = parts.minValues;
  }

  /** Other names of labels are rewritten; Gt and Lt become inclusive bounds. The numeric operators need one integer value. */
  static of(key: string, operator: string, given: Iterable<string> = [], minValues?: number): Requirement {
    const name = normalizedLabel(key);
    const values = normalizedValues(name, given);
    const bound = (shift: number): number => integerOf([...values][0]) + shift;
    const all = (bounds: { gte?: number; lte?: number }): Requirement =>
      new Requirement({ key: name, complement: true, values: NOTHING, minValues, ...bounds });
    switch (operator) {
      case 'In':
        return new Requirement({ key: name, complement: false, values: new Set(values), minValues });
      case 'NotIn':
        return new Requirement({ key: name, complement: true, values: new Set(values), minValues });
      case 'DoesNotExist':
        return new Requirement({ key: name, complement: false, values: NOTHING, minValues });
      case 'Gt':
        // 2^63-1 is the largest bound upstream can hold; nothing is greater.
        if (integerOf([...values][0]) >= LARGEST_BOUND) return Requirement.of(key, 'DoesNotExist');
        return all({ gte: bound(1) });
      case 'Lt':
        return all({ lte: bound(-1) });
      case 'Gte':
        return all({ gte: bound(0) });
      case 'Lte':
        return all({ lte: bound(0) });
      default:
        return all({});
    }
  }

  /** The same requirement with another minValues. */
  withMinValues(minValues: number | undefined): Requirement {
    return new Requirement({ ...this, minValues });
  }

  intersection(other: Requirement): Requirement {
    const gte = larger(this.gte, other.gte);
    const lte = smaller(this.lte, other.lte);
    const minValues = larger(this.minValues, other.minValues);
    if (gte !== undefined && lte !== undefined && gte > lte) {
      return new Requirement({ key: this.key, complement: false, values: NOTHING, minValues });
    }
    const complement = this.complement && other.complement;
    let values: Set<string>;
    if (complement) values = new Set([...this.values, ...other.values]);
    else if (this.complement) values = new Set([...other.values].filter((v) => !this.values.has(v)));
    else if (other.complement) values = new Set([...this.values].filter((v) => !other.values.has(v)));
    else values = new Set([...this.values].filter((v) => other.values.has(v)));
    for (const v of values) if (!withinBounds(v, gte, lte)) values.delete(v);
    return new Requirement(
      complement
        ? { key: this.key, complement, values, gte, lte, minValues }
        : { key: this.key, complement, values, minValues },
    );
  }

  /** `intersection(other)` is not empty, without building it. */
  overlaps(other: Requirement): boolean {
    const gte = larger(this.gte, other.gte);
    const lte = smaller(this.lte, other.lte);
    if (gte !== undefined && lte !== undefined && gte > lte) return false;
    if (this.complement && other.complement) return true;
    // Of two lists the shorter one is gone through.
    const isOther = this.complement || (!other.complement && other.values.size < this.values.size);
    const [listed, tested] = isOther ? [other, this] : [this, other];
    for (const v of listed.values) {
      if (tested.values.has(v) !== tested.complement && withinBounds(v, gte, lte)) return true;
    }
    return false;
  }

  has(value: string): boolean {
    return this.values.has(value) !== this.complement && withinBounds(value, this.gte, this.lte);
  }

  /** Bounded requirements read as Exists (or NotIn, with exclusions). */
  get operator(): 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' {
    if (this.complement) return this.values.size > 0 ? 'NotIn' : 'Exists';
    return this.values.size > 0 ? 'In' : 'DoesNotExist';
  }

  /** NotIn or DoesNotExist: satisfied by a missing label. */
  get acceptsMissing(): boolean {
    return this.operator === 'NotIn' || this.operator === 'DoesNotExist';
  }

  /**
   * Some value that satisfies the requirement; exclusions are ignored for open sets, as upstream does. Upstream draws at
   * random; `random` in [0, 1) picks, and 0 gives the first value in order or the lower bound.
   */
  any(random = 0): string {
    if (this.operator === 'In') {
      const sorted = [...this.values].sort();
      return sorted[Math.floor(random * sorted.length)] ?? '';
    }
    if (this.operator === 'DoesNotExist') return '';
    const low = this.gte ?? 0;
    const high = this.lte === undefined ? Number.MAX_SAFE_INTEGER : this.lte + 1;
    return String(low + Math.floor(random * Math.max(high - low, 0)));
  }

  /** As items of an object's `requirements` list: two for a range, otherwise one; a bound loses exclusions. */
  toItems(): NodeSelectorRequirementWithMinValues[] {
    const item = (operator: RequirementOperator, values?: readonly string[]): NodeSelectorRequirementWithMinValues => ({
      key: this.key,
      operator,
      ...(values ? { values } : {}),
      ...(this.minValues === undefined ? {} : { minValues: this.minValues }),
    });
    const bounds: NodeSelectorRequirementWithMinValues[] = [];
    if (this.gte !== undefined) bounds.push(item('Gte', [String(this.gte)]));
    if (this.lte !== undefined) bounds.push(item('Lte', [String(this.lte)]));
    if (bounds.length > 0) return bounds;
    const operator = this.operator;
    return [operator === 'In' || operator === 'NotIn' ? item(operator, [...this.values].sort()) : item(operator)];
  }

  /** As upstream prints it in messages. */
  toString(): string {
    let text = `${this.key} ${this.operator}`;
    if (this.values.size > 0) {
      const sorted = [...this.values].sort();
      const shown = sorted.slice(0, PRINTED_VALUES);
      if (sorted.length > PRINTED_VALUES) shown.push(`and ${sorted.length - PRINTED_VALUES} others`);
      text += ` [${shown.join(' ')}]`;
    }
    if (this.gte !== undefined) text += ` >=${this.gte}`;
    if (this.lte !== undefined) text += ` <=${this.lte}`;
    if (this.minValues !== undefined) text += ` minValues ${this.minValues}`;
    return text;
  }
}
