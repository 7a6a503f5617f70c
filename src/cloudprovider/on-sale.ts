import type { InstanceType } from '../scheduling/instance-type.ts';
import { offeringOf, type SoldOut, soldOutLookup } from './sold-out.ts';

/**
 * The types with what is sold out at `now` marked as not available; types that nothing is sold out of stay the same
 * objects, since the packer learns them by identity.
 */
export function onSale(
  types: readonly InstanceType[],
  soldOut: readonly SoldOut[],
  now: number,
): readonly InstanceType[] {
  if (soldOut.length === 0) return types;
  const until = soldOutLookup(soldOut, now);
  return types.map((type) => {
    const ends = type.offerings.map((offering) => until(offeringOf(type.name, offering)));
    if (ends.every((end) => end === undefined)) return type;
    const offerings = type.offerings.map((offering, i) => {
      const end = ends[i];
      if (end === undefined) return offering;
      return { ...offering, available: false, ...(Number.isFinite(end) ? { unavailableUntil: end } : {}) };
    });
    return { ...type, offerings };
  });
}
