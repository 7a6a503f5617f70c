import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { amiFamilyOf, zoneInfoOf } from '../../../apis/ec2-node-class-facts.ts';
import type { PlacementGroup } from '../../contracts.ts';

/** A zone as a class can use it. */
export interface MarketZone {
  readonly zone: string;
  /** Undefined without a subnet of the class there. */
  readonly zoneID: string | undefined;
  readonly subnetIDs: readonly string[];
  readonly isShifted: boolean;
}

/** Where and how nodes of a class can be bought, but for the types. Markets with one key have the same offerings. */
export interface ClassMarket {
  readonly key: string;
  /** Every zone of the region, by name. */
  readonly zones: readonly MarketZone[];
  readonly placementGroup: PlacementGroup | undefined;
}

export function classMarket(
  nodeClass: EC2NodeClass,
  allZones: ReadonlySet<string>,
  shiftedZones: ReadonlySet<string>,
  placementGroup: PlacementGroup | undefined,
): ClassMarket {
  const ofClass = zoneInfoOf(nodeClass);
  const zones = [...allZones].sort().map((zone): MarketZone => {
    const { zoneID, subnetIDs = [] } = ofClass.find((info) => info.zone === zone) ?? {};
    return { zone, zoneID, subnetIDs, isShifted: zoneID !== undefined && shiftedZones.has(zoneID) };
  });
  const { networkInterfaces, cpuOptions, connectionTracking } = nodeClass.spec;
  const key = JSON.stringify([
    zones,
    placementGroup,
    // What decides which types the class can have.
    amiFamilyOf(nodeClass),
    networkInterfaces,
    cpuOptions,
    connectionTracking !== undefined,
  ]);
  return { key, zones, placementGroup };
}

/** The partitions of a placement group, as labels have them; none but for those of that strategy. */
export function partitionsOf(group: PlacementGroup | undefined): readonly string[] {
  if (group?.strategy !== 'partition') return [];
  return Array.from({ length: group.partitionCount }, (_, index) => String(index + 1));
}
