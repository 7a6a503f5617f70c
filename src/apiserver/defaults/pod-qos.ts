import { parseQuantity, quantityMilli } from '../../kube/quantity.ts';
import type { Json, JsonObject } from '../kind.ts';
import { asObject, asObjects } from '../validation/json-access.ts';

const COMPUTE = ['cpu', 'memory'];

const milli = (value: Json | undefined): number =>
  value === undefined ? 0 : quantityMilli(parseQuantity(String(value)));

const amounts = (list: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(list).filter(([name, value]) => COMPUTE.includes(name) && milli(value) > 0));

interface Share {
  readonly requests: JsonObject;
  readonly limits: JsonObject;
}

const shareOf = (holder: JsonObject): Share => {
  const { requests, limits } = asObject(holder.resources);
  return { requests: amounts(asObject(requests)), limits: amounts(asObject(limits)) };
};

const isGuaranteed = ({ requests, limits }: Share): boolean =>
  COMPUTE.every((name) => limits[name] !== undefined && milli(requests[name] ?? limits[name]) === milli(limits[name]));

const isEmpty = ({ requests, limits }: Share): boolean =>
  Object.keys(requests).length === 0 && Object.keys(limits).length === 0;

/** Guaranteed, Burstable or BestEffort, by what the pod or its containers ask for (core/v1/helper/qos). */
export const podQosClass = (spec: JsonObject): string => {
  const own = shareOf(spec);
  const shares = isEmpty(own) ? [...asObjects(spec.containers), ...asObjects(spec.initContainers)].map(shareOf) : [own];
  if (shares.every(isEmpty)) return 'BestEffort';
  return shares.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
};
