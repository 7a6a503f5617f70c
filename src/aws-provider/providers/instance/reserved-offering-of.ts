import type { InstanceType, Offering } from '../../../scheduling/instance-type.ts';
import { isReservedOffering, zoneOf } from './offerings.ts';

/** The reserved offering that an instance was launched from; the filters have left one per type and zone. */
export function reservedOfferingOf(
  instanceType: string,
  zone: string,
  types: readonly InstanceType[],
): Offering | undefined {
  return types
    .find(({ name }) => name === instanceType)
    ?.offerings.find((offering) => isReservedOffering(offering) && zoneOf(offering) === zone);
}
