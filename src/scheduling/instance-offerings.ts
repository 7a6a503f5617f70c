/** What an instance type leaves to pods, and at what price (karpenter-core.md 0.6-0.8). */
import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE } from '../apis/labels.ts';
import type { InstanceType, InstanceTypeOverhead, Offering } from './instance-type.ts';
import type { Requirements } from './requirements.ts';
import { addResources, subtractResources } from './resource-list.ts';
import type { Resources } from './resources.ts';

export interface AllocatableOfferings {
  readonly allocatable: Resources;
  /** Available ones only. */
  readonly offerings: readonly Offering[];
}

const HUGE_PAGES = 'hugepages-';

/**
 * The type's offerings grouped by what they do to capacity and overhead: first those that change nothing (the group exists
 * even when empty), then one group per distinct override.
 */
export function allocatableOfferings(type: InstanceType): readonly AllocatableOfferings[] {
  const plain: Offering[] = [];
  const overridden = new Map<string, Offering[]>();
  for (const offering of type.offerings) {
    if (!offering.available) continue;
    const { capacityOverride = {}, overheadOverride } = offering;
    if (Object.keys(capacityOverride).length === 0 && !overheadOverride) {
      plain.push(offering);
      continue;
    }
    const key = JSON.stringify([sorted(capacityOverride), overheadOverride && sorted(totalOverhead(overheadOverride))]);
    const group = overridden.get(key);
    if (group) group.push(offering);
    else overridden.set(key, [offering]);
  }
  const groups: AllocatableOfferings[] = [{ allocatable: allocatable(type), offerings: plain }];
  for (const offerings of overridden.values()) {
    groups.push({ allocatable: allocatable(type, offerings[0]), offerings });
  }
  return groups;
}

/** Capacity less overhead, of the type itself or as one offering changes it; huge pages are taken out of the memory. */
export function allocatable(type: InstanceType, offering?: Offering): Resources {
  const capacity = addResources(type.capacity, offering?.capacityOverride ?? {});
  const overhead = addResources(
    totalOverhead(type.overhead),
    offering?.overheadOverride ? totalOverhead(offering.overheadOverride) : {},
  );
  const result: Record<string, number> = { ...subtractResources(capacity, overhead) };
  for (const name in capacity) {
    if (name.startsWith(HUGE_PAGES)) result.memory = Math.max(0, (result.memory ?? 0) - (capacity[name] ?? 0));
  }
  return result;
}

function totalOverhead(overhead: InstanceTypeOverhead): Resources {
  const { kubeReserved = {}, systemReserved = {}, evictionThreshold = {} } = overhead;
  return addResources(addResources(kubeReserved, systemReserved), evictionThreshold);
}

export function isReserved({ requirements }: Offering): boolean {
  const capacityType = requirements.find(LABEL_CAPACITY_TYPE);
  return capacityType?.values.has(CAPACITY_TYPE_RESERVED) === true && capacityType.any() === CAPACITY_TYPE_RESERVED;
}

/** Available offerings that the requirements allow. */
export function compatibleOfferings(
  type: InstanceType,
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): readonly Offering[] {
  return type.offerings.filter((o) => o.available && requirements.compatible(o.requirements, wellKnown));
}

/** Those of the compatible offerings that cost least; several of one price, in their order. */
export function cheapestOfferings(
  type: InstanceType,
  requirements: Requirements,
  wellKnown: ReadonlySet<string>,
): readonly Offering[] {
  const onSale = compatibleOfferings(type, requirements, wellKnown);
  const least = Math.min(...onSale.map(({ price }) => price));
  return onSale.filter(({ price }) => price === least);
}

/** Of the available offerings that the requirements allow; infinite when there is none. */
export function cheapestPrice(type: InstanceType, requirements: Requirements, wellKnown: ReadonlySet<string>): number {
  let cheapest = Number.POSITIVE_INFINITY;
  for (const offering of type.offerings) {
    if (!offering.available || offering.price >= cheapest) continue;
    if (requirements.compatible(offering.requirements, wellKnown)) cheapest = offering.price;
  }
  return cheapest;
}

function sorted(resources: Resources): readonly (readonly [string, number])[] {
  return Object.entries(resources).sort(([a], [b]) => (a < b ? -1 : 1));
}
