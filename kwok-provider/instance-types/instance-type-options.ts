import type { ResourceList } from '../../src/kube/objects.ts';

export interface OfferingRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** One offering of a catalogue file; capitals as upstream writes them. */
export interface OfferingOptions {
  /** Per hour. */
  readonly Price: number;
  readonly Available?: boolean;
  readonly ReservationCapacity?: number;
  readonly Requirements: readonly OfferingRequirement[];
}

/** One instance type of a catalogue file: upstream's kwok provider reads the same JSON (karpenter-core.md 13.1.3). */
export interface InstanceTypeOptions {
  readonly name: string;
  readonly offerings: readonly OfferingOptions[];
  readonly architecture: string;
  readonly operatingSystems: readonly string[];
  readonly resources: ResourceList;
}
