import { asArray, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';

/** A LabelSelector, or a plain map of labels, in the query syntax: `app=a,tier in (x,y)`; keys in order. */
export function selectorText(selector: JsonObject): string {
  const structured = 'matchLabels' in selector || 'matchExpressions' in selector;
  const labels = asObject(structured ? selector.matchLabels : selector);
  const parts: (readonly [string, string])[] = Object.entries(labels).map(([key, value]) => [
    key,
    `${key}=${String(value)}`,
  ]);
  for (const { key, operator, values } of asObjects(structured ? selector.matchExpressions : undefined)) {
    const name = asString(key);
    const list = asArray(values).map(String).sort().join(',');
    if (operator === 'In') parts.push([name, `${name} in (${list})`]);
    else if (operator === 'NotIn') parts.push([name, `${name} notin (${list})`]);
    else parts.push([name, operator === 'DoesNotExist' ? `!${name}` : name]);
  }
  return parts
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, text]) => text)
    .join(',');
}
