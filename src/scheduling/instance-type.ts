import type { Requirements } from './requirements.ts';
import type { Resources } from './resources.ts';

/** One (zone, capacity type, price, availability) of an instance type (karpenter-core.md 0.5). */
export interface Offering {
  /** At least zone and capacity type; reserved ones also the reservation id. */
  readonly requirements: Requirements;
  /** Per hour. */
  readonly price: number;
  readonly available: boolean;
  /** Of one that isn't: epoch milliseconds when the provider means to try it again, if it knows. */
  readonly unavailableUntil?: number;
  readonly reservationCapacity?: number;
  readonly capacityOverride?: Resources;
  readonly overheadOverride?: InstanceTypeOverhead;
  /** The price is a NodeOverlay's. */
  readonly priceOverlaid?: boolean;
}

export interface InstanceTypeOverhead {
  readonly kubeReserved?: Resources;
  readonly systemReserved?: Resources;
  readonly evictionThreshold?: Resources;
}

/** What a provider sells (karpenter-core.md 0.4). */
export interface InstanceType {
  readonly name: string;
  /** A value for every well-known label, even if empty. */
  readonly requirements: Requirements;
  readonly offerings: readonly Offering[];
  readonly capacity: Resources;
  readonly overhead: InstanceTypeOverhead;
  /** Some of the capacity is a NodeOverlay's. */
  readonly capacityOverlaid?: boolean;
}
