import { formatQuantity, parseQuantity, quantityMilli } from '../../kube/quantity.ts';
import type { Json, JsonObject } from '../kind.ts';

/** Changes the JSON of one struct. */
export type Conversion = (object: JsonObject) => JsonObject;

/**
 * What Kubernetes' conversion to its internal types and back changes, by the struct's id (kubernetes pkg/apis/core/v1
 * conversion.go).
 */
export const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  // The deprecated name of the service account always tells the same as the new one.
  'api.core.v1.PodSpec': (spec) => {
    const name = spec.serviceAccountName ?? spec.serviceAccount;
    if (name === undefined || (name === spec.serviceAccountName && name === spec.serviceAccount)) return spec;
    const { serviceAccountName: _, serviceAccount: __, ...rest } = spec;
    return { ...rest, serviceAccountName: name, serviceAccount: name };
  },
};

/** An amount of a ResourceList, which holds nothing finer than thousandths: rounded up. */
export function roundToMilli(amount: Json): Json {
  if (typeof amount !== 'string' || !/[nu]$|e-/.test(amount)) return amount;
  const quantity = parseQuantity(amount);
  return formatQuantity({ unscaled: BigInt(quantityMilli(quantity)), scale: -3, format: quantity.format });
}
