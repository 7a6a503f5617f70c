import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import {
  CAPACITY_TYPE_ON_DEMAND,
  CAPACITY_TYPE_RESERVED,
  LABEL_CAPACITY_TYPE,
  LABEL_ZONE,
} from '../../../../apis/labels.ts';
import type { InstanceType, Offering } from '../../../../scheduling/instance-type.ts';
import type { CapacityReservationStatus, EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import type {
  CapacityReservationProvider,
  PlacementGroupScope,
  PricingProvider,
  UnavailableOfferings,
} from '../../contracts.ts';
import { isCompatible } from '../compatibility.ts';
import { type ClassMarket, type MarketZone, partitionsOf } from './class-market.ts';
import { OfferingRequirements, PartitionRequirements } from './offering-requirements.ts';
import type { OverlayPrices } from './overlay-prices.ts';

/** A reservation costs nothing more; the price only keeps the order of the types for consolidation. */
const RESERVED_PARTS = 10_000_000;

export interface TypeOfferingsDeps {
  readonly pricing: Pick<PricingProvider, 'onDemandPrice' | 'spotPrice'>;
  readonly overlayPrices: Pick<OverlayPrices, 'of'>;
  readonly unavailableOfferings: Pick<UnavailableOfferings, 'unavailableUntil'>;
  readonly capacityReservations: Pick<CapacityReservationProvider, 'availableInstanceCount'>;
}

/** One type as a class sees it. */
export interface TypeOfClass {
  readonly type: InstanceType;
  readonly info: InstanceTypeInfo | undefined;
  readonly nodeClass: EC2NodeClass;
  /** Those of the type. */
  readonly reservations: readonly CapacityReservationStatus[];
}

/** Makes the offerings of types in the market of one class (aws-provider.md section 23). */
export class TypeOfferings {
  readonly #deps: TypeOfferingsDeps;
  readonly #market: ClassMarket;
  readonly #requirements = new OfferingRequirements();
  readonly #partitionRequirements = new PartitionRequirements();

  constructor(deps: TypeOfferingsDeps, market: ClassMarket) {
    this.#deps = deps;
    this.#market = market;
  }

  /** In every zone, whether it can be bought there or not; on-demand and spot first, then reserved. */
  of({ type, info, nodeClass, reservations }: TypeOfClass): readonly Offering[] {
    const { zones, placementGroup } = this.#market;
    const fits = info !== undefined && isCompatible(info, nodeClass, placementGroup);
    const typeZones = type.requirements.get(LABEL_ZONE);
    const canBeIn = ({ zone, isShifted }: MarketZone): boolean => fits && typeZones.has(zone) && !isShifted;
    const offerings: Offering[] = [];
    for (const zone of zones) {
      for (const capacityType of type.requirements.get(LABEL_CAPACITY_TYPE).values) {
        if (capacityType === CAPACITY_TYPE_RESERVED) continue;
        offerings.push(this.#offering(type.name, zone, capacityType, canBeIn(zone)));
      }
    }
    for (const reservation of reservations) {
      const zone = zones.find(({ zone }) => zone === reservation.availabilityZone);
      offerings.push(this.#reserved(reservation, zone, zone !== undefined && canBeIn(zone)));
    }
    const partitions = partitionsOf(placementGroup);
    if (partitions.length === 0) return offerings;
    return offerings.flatMap((offering) =>
      partitions.map((partition) => this.#inPartition(type.name, offering, partition)),
    );
  }

  #offering(instanceType: string, zone: MarketZone, capacityType: string, canBeThere: boolean): Offering {
    const { pricing, overlayPrices } = this.#deps;
    const listed =
      capacityType === CAPACITY_TYPE_ON_DEMAND
        ? pricing.onDemandPrice(instanceType)
        : pricing.spotPrice(instanceType, zone.zone);
    const price = listed ?? overlayPrices.of(instanceType);
    const requirements = this.#requirements.of(capacityType, zone.zone, zone.zoneID);
    if (!canBeThere || price === undefined) return { requirements, price: price ?? 0, available: false };
    return { requirements, price, ...this.#onSale(instanceType, zone, capacityType) };
  }

  #reserved(reservation: CapacityReservationStatus, zone: MarketZone | undefined, canBeThere: boolean): Offering {
    const { pricing, capacityReservations } = this.#deps;
    const reservationCapacity = capacityReservations.availableInstanceCount(reservation.id);
    return {
      requirements: this.#requirements.ofReservation(reservation, zone?.zoneID),
      price: (pricing.onDemandPrice(reservation.instanceType) ?? 0) / RESERVED_PARTS,
      available: canBeThere && reservationCapacity !== 0 && reservation.state !== 'expiring',
      reservationCapacity,
    };
  }

  /** A shortage that was seen without the placement group holds within it too; one of another group does not. */
  #onSale(
    instanceType: string,
    zone: MarketZone,
    capacityType: string,
  ): Pick<Offering, 'available' | 'unavailableUntil'> {
    const { placementGroup } = this.#market;
    const scopes: readonly PlacementGroupScope[] = placementGroup
      ? [{}, { placementGroupID: placementGroup.id }]
      : [{}];
    return this.#within(scopes, instanceType, zone, capacityType);
  }

  #within(
    scopes: readonly PlacementGroupScope[],
    instanceType: string,
    { zone, subnetIDs }: MarketZone,
    capacityType: string,
  ): Pick<Offering, 'available' | 'unavailableUntil'> {
    let latest: number | undefined;
    for (const scope of scopes) {
      const until = this.#deps.unavailableOfferings.unavailableUntil(
        instanceType,
        zone,
        subnetIDs,
        capacityType,
        scope,
      );
      if (until !== undefined) latest = Math.max(latest ?? until, until);
    }
    return latest === undefined ? { available: true } : { available: false, unavailableUntil: latest };
  }

  /** The offering within one partition of the group, which may be sold out though others are not. */
  #inPartition(instanceType: string, offering: Offering, partition: string): Offering {
    const requirements = this.#partitionRequirements.of(offering.requirements, partition);
    const zoneName = offering.requirements.get(LABEL_ZONE).any();
    const zone = this.#market.zones.find(({ zone }) => zone === zoneName);
    const placementGroupID = this.#market.placementGroup?.id;
    if (!offering.available || offering.reservationCapacity !== undefined || !zone || !placementGroupID) {
      return { ...offering, requirements };
    }
    const scope = { placementGroupID, placementGroupPartition: partition };
    const capacityType = offering.requirements.get(LABEL_CAPACITY_TYPE).any();
    return { ...offering, requirements, ...this.#within([scope], instanceType, zone, capacityType) };
  }
}
