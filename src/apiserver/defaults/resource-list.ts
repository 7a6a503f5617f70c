import { formatQuantity, parseQuantity, quantityMilli } from '../../kube/quantity.ts';
import type { JsonObject } from '../kind.ts';

/** Amounts finer than a thousandth are rounded up to one (core/v1 SetDefaults_ResourceList). */
export const completeResourceList = (list: JsonObject): JsonObject => {
  let rounded: Record<string, string> | undefined;
  for (const [name, value] of Object.entries(list)) {
    const quantity = parseQuantity(String(value));
    if (quantity.scale >= -3) continue;
    const milli = BigInt(quantityMilli(quantity));
    rounded ??= {};
    rounded[name] = formatQuantity({ unscaled: milli, scale: -3, format: quantity.format });
  }
  return rounded === undefined ? list : { ...list, ...rounded };
};
