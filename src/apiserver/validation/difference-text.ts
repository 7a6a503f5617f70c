import { jsonEqual } from '../../kube/json-equal.ts';
import { isObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { goJson } from './go-text.ts';

/** What differs between two objects: a line taken out, a line put in, for each path. */
export const differenceText = (before: JsonObject, after: JsonObject): string => {
  const lines: string[] = [];
  compare('', before, after, lines);
  return `${lines.join('\n')}\n`;
};

const compare = (path: string, before: Json | undefined, after: Json | undefined, lines: string[]): void => {
  if (jsonEqual(before ?? null, after ?? null)) return;
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    for (const name of names) compare(`${path}.${name}`, before[name], after[name], lines);
    return;
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const [at, item] of before.entries()) compare(`${path}[${at}]`, item, after[at], lines);
    return;
  }
  if (before !== undefined) lines.push(`- ${path}: ${goJson(before)}`);
  if (after !== undefined) lines.push(`+ ${path}: ${goJson(after)}`);
};
