import { CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_SPOT } from '../../../../apis/labels.ts';
import { type OfferingPattern, patternText, type SoldOut } from '../../../../cloudprovider/sold-out.ts';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { zoneInfoOf } from '../../../apis/ec2-node-class-facts.ts';
import type { Unavailable } from '../../../cache/unavailable-offerings.ts';
import type { PlacementGroup } from '../../../providers/contracts.ts';

/** About 30 KB of the 256 KB that all annotations of an object may have. */
const MOST_ENTRIES = 500;

/**
 * What can't be bought with a class, in the form of the annotation. A full subnet closes its zone when the class has no
 * other there. A shortage within one partition of a placement group is left out: other partitions have the offering. So is
 * reserved capacity, of which EC2 tells a count. Of very many entries the widest are kept, and those that last.
 */
export function entriesOfClass(
  marks: readonly Unavailable[],
  nodeClass: EC2NodeClass,
  placementGroup: PlacementGroup | undefined,
): readonly SoldOut[] {
  const entries = new Map<string, SoldOut & { readonly until: number }>();
  const add = (pattern: OfferingPattern, until: number): void => {
    const text = patternText(pattern);
    if (until > (entries.get(text)?.until ?? 0)) entries.set(text, { ...pattern, until });
  };
  const fullSubnets = new Map<string, number>();
  for (const { until, subnetID, instanceType, zone, capacityType, ...scope } of marks) {
    if (subnetID) fullSubnets.set(subnetID, until);
    else if (!capacityType) continue;
    else if (!instanceType || !zone) add({ type: ANY, zone: ANY, capacityType }, until);
    else if (scope.placementGroupPartition) continue;
    else if (!scope.placementGroupID || scope.placementGroupID === placementGroup?.id) {
      add({ type: instanceType, zone, capacityType }, until);
    }
  }
  for (const { zone, subnetIDs } of zoneInfoOf(nodeClass)) {
    const until = Math.min(...subnetIDs.map((id) => fullSubnets.get(id) ?? 0));
    for (const capacityType of NOT_RESERVED) add({ type: ANY, zone, capacityType }, until);
  }
  return [...entries]
    .sort(([textA, a], [textB, b]) => rank(a) - rank(b) || b.until - a.until || (textA < textB ? -1 : 1))
    .slice(0, MOST_ENTRIES)
    .map(([, entry]) => entry);
}

/**
 * The marks that an annotation tells of, of a process that has ended. A shortage that a class in a placement group had is
 * taken for one of that group.
 */
export function marksOfClass(
  entries: readonly SoldOut[],
  nodeClass: EC2NodeClass,
  placementGroup: PlacementGroup | undefined,
): readonly Unavailable[] {
  const scope = placementGroup ? { placementGroupID: placementGroup.id } : {};
  return entries.flatMap(({ type, zone, capacityType, until }): readonly Unavailable[] => {
    if (until === undefined || capacityType.includes(ANY)) return [];
    if (type === ANY && zone === ANY) return [{ capacityType, until }];
    if (zone.includes(ANY)) return [];
    if (type === ANY) {
      const subnetIDs = zoneInfoOf(nodeClass).find((info) => info.zone === zone)?.subnetIDs ?? [];
      return subnetIDs.map((subnetID) => ({ subnetID, until }));
    }
    if (type.includes(ANY) || (nodeClass.spec.placementGroupSelector && !placementGroup)) return [];
    return [{ instanceType: type, zone, capacityType, reason: 'told by the node class', until, ...scope }];
  });
}

const ANY = '*';
const NOT_RESERVED = [CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_SPOT];

/** Capacity types, then zones, then offerings. */
const rank = ({ type, zone }: OfferingPattern): number => (type !== ANY ? 2 : zone !== ANY ? 1 : 0);
