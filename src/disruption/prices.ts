/** Prices of offerings as consolidation compares them (karpenter-core.md 0.8, 7.2.4, 7.11). */
import {
  CAPACITY_TYPE_ON_DEMAND,
  CAPACITY_TYPE_RESERVED,
  CAPACITY_TYPE_SPOT,
  LABEL_CAPACITY_TYPE,
  LABEL_ZONE,
} from '../apis/labels.ts';
import { compatibleOfferings } from '../scheduling/instance-offerings.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import { Requirement } from '../scheduling/requirement.ts';
import type { Requirements } from '../scheduling/requirements.ts';

/** The order in which a launch picks its capacity type. */
const LAUNCH_ORDER = [CAPACITY_TYPE_RESERVED, CAPACITY_TYPE_SPOT, CAPACITY_TYPE_ON_DEMAND];

/** The price of exactly this zone and capacity type, on sale or not; 0 when there is none. */
export function offeringPrice(type: InstanceType, zone: string | undefined, capacityType: string | undefined): number {
  const offering = type.offerings.find(
    (o) =>
      o.requirements.get(LABEL_ZONE).has(zone ?? '') && o.requirements.get(LABEL_CAPACITY_TYPE).has(capacityType ?? ''),
  );
  return offering && !Number.isNaN(offering.price) ? offering.price : 0;
}

/** What launches may cost, worked out once per type and requirements: most candidates' pods ask for the same few sets. */
export class LaunchPrices {
  readonly wellKnown: ReadonlySet<string>;
  readonly #worst = new WeakMap<Requirements, Map<InstanceType, number>>();

  /** @param wellKnown keys that a new node may leave undefined */
  constructor(wellKnown: ReadonlySet<string>) {
    this.wellKnown = wellKnown;
  }

  /**
   * The dearest that a launch may turn out: of the offerings on sale, those of the first capacity type (reserved, spot,
   * on-demand) that has any decide. Infinity when none fits. The requirements must not change afterwards.
   */
  worst(type: InstanceType, requirements: Requirements): number {
    let byType = this.#worst.get(requirements);
    if (!byType) {
      byType = new Map();
      this.#worst.set(requirements, byType);
    }
    let price = byType.get(type);
    if (price === undefined) {
      price = worstLaunchPrice(type, requirements, this.wellKnown);
      byType.set(type, price);
    }
    return price;
  }
}

function worstLaunchPrice(type: InstanceType, requirements: Requirements, wellKnown: ReadonlySet<string>): number {
  const onSale = compatibleOfferings(type, requirements, wellKnown);
  for (const capacityType of LAUNCH_ORDER) {
    const wanted = Requirement.of(LABEL_CAPACITY_TYPE, 'In', [capacityType]);
    const prices = onSale.filter((o) => o.requirements.get(LABEL_CAPACITY_TYPE).overlaps(wanted)).map((o) => o.price);
    if (prices.length > 0) return Math.max(...prices);
  }
  return Number.POSITIVE_INFINITY;
}
