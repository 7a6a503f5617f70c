import { addQuantities, compareQuantities, formatQuantity } from '../../kube/quantity.ts';
import { asObject, asObjects } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { quantityOf } from '../validation/resource-names.ts';

/** Amounts of resources by name, and what they come to together. */

export const sumAmounts = (...lists: readonly JsonObject[]): JsonObject => {
  const sum: Record<string, string> = {};
  for (const [name, value] of lists.flatMap((list) => Object.entries(list))) {
    const before = sum[name];
    const quantity = quantityOf(value);
    sum[name] = formatQuantity(before === undefined ? quantity : addQuantities(quantityOf(before), quantity));
  }
  return sum;
};

const largest = (one: JsonObject, other: JsonObject): JsonObject => {
  const most: Record<string, string> = {};
  for (const [name, value] of [...Object.entries(one), ...Object.entries(other)]) {
    const quantity = quantityOf(value);
    const before = most[name];
    if (before === undefined || compareQuantities(quantityOf(before), quantity) < 0) {
      most[name] = formatQuantity(quantity);
    }
  }
  return most;
};

/**
 * What a pod asks for or is limited to: its containers and sidecars together, or what its init containers need in their
 * turn where that is more, and its overhead. Amounts of the whole pod hold where it has them.
 */
export const podAmounts = (spec: JsonObject, part: 'limits' | 'requests'): JsonObject => {
  const of = (container: JsonObject): JsonObject => asObject(asObject(container.resources)[part]);
  let sidecars: JsonObject = {};
  let start: JsonObject = {};
  for (const container of asObjects(spec.initContainers)) {
    if (container.restartPolicy === 'Always') {
      sidecars = sumAmounts(sidecars, of(container));
      start = largest(start, sidecars);
    } else start = largest(start, sumAmounts(sidecars, of(container)));
  }
  const running = sumAmounts(sidecars, ...asObjects(spec.containers).map(of));
  const needed = { ...largest(running, start), ...of(spec) };
  const overhead = asObject(spec.overhead);
  if (part === 'requests') return sumAmounts(needed, overhead);
  const counted = Object.entries(overhead).filter(([name]) => needed[name] !== undefined);
  return sumAmounts(needed, Object.fromEntries(counted));
};
