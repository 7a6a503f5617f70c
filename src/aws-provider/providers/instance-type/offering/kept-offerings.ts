import type { Offering } from '../../../../scheduling/instance-type.ts';

/** The newly made offerings, with the objects of before wherever nothing has changed, and their list if nothing has at all. */
export function keptOfferings(before: readonly Offering[] | undefined, now: readonly Offering[]): readonly Offering[] {
  if (!before) return now;
  const kept = now.map((offering, index) => {
    const old = before[index];
    return old && isSame(old, offering) ? old : offering;
  });
  return kept.length === before.length && kept.every((offering, index) => offering === before[index]) ? before : kept;
}

/** Requirements are shared objects. */
function isSame(a: Offering, b: Offering): boolean {
  return (
    a.requirements === b.requirements &&
    a.price === b.price &&
    a.available === b.available &&
    a.unavailableUntil === b.unavailableUntil &&
    a.reservationCapacity === b.reservationCapacity
  );
}
