import { LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../apis/labels.ts';
import { cheapestOfferings } from '../scheduling/instance-offerings.ts';
import type { PlannedNodeClaim } from '../scheduling/types.ts';

/** What a claim could become, and its price an hour. */
export interface Offer {
  readonly instanceType: string;
  readonly capacityType: string;
  readonly zone: string;
  readonly price: number;
}

/** The cheapest offering of each of the claim's types, cheapest first. */
export function offersOf(
  { instanceTypes, requirements }: PlannedNodeClaim,
  wellKnown: ReadonlySet<string>,
  most: number,
): readonly Offer[] {
  return instanceTypes.slice(0, most).flatMap((type) => {
    const [cheapest] = cheapestOfferings(type, requirements, wellKnown);
    if (!cheapest) return [];
    const label = (key: string): string => cheapest.requirements.get(key).any();
    return [
      {
        instanceType: type.name,
        capacityType: label(LABEL_CAPACITY_TYPE),
        zone: label(LABEL_ZONE),
        price: cheapest.price,
      },
    ];
  });
}
