import type { Budget } from '../apis/node-pool.ts';

/** One field of an object in two states, printed; null where it isn't set. */
export interface FieldChange {
  readonly field: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** Fields that differ, in order of path. Lists of items with a `key` are compared key by key, other lists as a whole. */
export function fieldChanges(from: unknown, to: unknown, path: string): readonly FieldChange[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  const [before, after] = [members(from), members(to)];
  const comparable = (before ?? after) && (before || from === undefined) && (after || to === undefined);
  if (!comparable) return [{ field: path, from: printField(from), to: printField(to) }];
  const keys = [...new Set([...(before?.values.keys() ?? []), ...(after?.values.keys() ?? [])])].sort();
  const bracketed = (before ?? after)?.keyed ?? false;
  return keys.flatMap((key) => {
    const field = bracketed || /[^\w-]/.test(key) ? `${path}[${key}]` : `${path}.${key}`;
    return fieldChanges(before?.values.get(key), after?.values.get(key), field);
  });
}

interface Members {
  readonly values: ReadonlyMap<string, unknown>;
  readonly keyed: boolean;
}

/** What a mapping, or a list of items that each have their own `key`, consists of. */
function members(value: unknown): Members | undefined {
  if (Array.isArray(value)) {
    const entries = value.map((item) => [keyOf(item), keyless(item)] as const);
    const keys = new Set(entries.map(([key]) => key));
    if (keys.has(undefined) || keys.size < value.length || value.length === 0) return undefined;
    return { values: new Map(entries as [string, unknown][]), keyed: true };
  }
  if (typeof value !== 'object' || value === null || 'operator' in value || 'effect' in value) return undefined;
  return { values: new Map(Object.entries(value)), keyed: false };
}

function keyOf(item: unknown): string | undefined {
  return typeof item === 'object' && item !== null && 'key' in item ? String(item.key) : undefined;
}

/** An item of a list without its own key, where that is said already. */
export function keyless(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'key'));
}

/** A field's value in a few words; requirements and taints as Karpenter prints them. */
export function printField(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(printField).join(', ');
  if ('operator' in value) {
    const { key, operator, values, minValues } = value as {
      readonly key?: string;
      readonly operator: string;
      readonly values?: readonly string[];
      readonly minValues?: number;
    };
    const least = minValues === undefined ? '' : ` minValues ${minValues}`;
    return `${key ? `${key} ` : ''}${operator}${values?.length ? ` [${values.join(' ')}]` : ''}${least}`;
  }
  if ('effect' in value) {
    const { key, value: text, effect } = value as { key?: string; value?: string; effect?: string };
    return `${[key, text].filter(Boolean).join('=')}:${effect ?? ''}`;
  }
  if ('nodes' in value) return budgetText(value as Budget);
  return JSON.stringify(value);
}

function budgetText({ nodes, reasons, schedule, duration }: Budget): string {
  const about = reasons ? ` for ${reasons.join(' and ')}` : '';
  return `${nodes}${about}${schedule === undefined ? '' : ` at "${schedule}" for ${duration ?? '0s'}`}`;
}
