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
  /** Ours, which upstream passes over. Labels that nodes of the type have; null for those that they never have. */
  readonly labels?: Readonly<Record<string, string | null>>;
  /** Ours as well: what nodes keep from pods, instead of 100m of processor and 10Mi of memory. */
  readonly overhead?: ResourceList;
}
