import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../../../apis/labels.ts';
import type { InstanceType, Offering } from '../../../scheduling/instance-type.ts';
import { Requirement } from '../../../scheduling/requirement.ts';
import type { Requirements } from '../../../scheduling/requirements.ts';
import {
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
  LABEL_CAPACITY_RESERVATION_TYPE,
} from '../../apis/labels.ts';
import { ALL_WELL_KNOWN_LABELS } from '../../apis/well-known.ts';

export const zoneOf = ({ requirements }: Offering): string => requirements.get(LABEL_ZONE).any();

const CAPACITY_TYPES = new WeakMap<Requirements, string>();

export function capacityTypeOf({ requirements }: Offering): string {
  let capacityType = CAPACITY_TYPES.get(requirements);
  if (capacityType === undefined) {
    capacityType = requirements.get(LABEL_CAPACITY_TYPE).any();
    CAPACITY_TYPES.set(requirements, capacityType);
  }
  return capacityType;
}

export const isReservedOffering = (offering: Offering): boolean => capacityTypeOf(offering) === CAPACITY_TYPE_RESERVED;

/** What a reserved offering is taken from. */
export interface ReservationKind {
  /** `default` or `capacity-block`. */
  readonly type: string;
  readonly interruptible: boolean;
}

export const reservationIdOf = ({ requirements }: Offering): string =>
  requirements.get(LABEL_CAPACITY_RESERVATION_ID).any();

export function reservationKindOf({ requirements }: Offering): ReservationKind {
  return {
    type: requirements.get(LABEL_CAPACITY_RESERVATION_TYPE).any(),
    interruptible: requirements.get(LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE).any() === 'true',
  };
}

const ALLOWED = new WeakMap<Requirements, WeakMap<Requirements, boolean>>();

/**
 * Whether the requirements, which must not change any more, allow the offering. Offerings of one zone share theirs over all
 * types: a launch compares a dozen, not ten thousand.
 */
export function allows(requirements: Requirements, offering: Offering): boolean {
  let known = ALLOWED.get(requirements);
  if (!known) {
    known = new WeakMap();
    ALLOWED.set(requirements, known);
  }
  let allowed = known.get(offering.requirements);
  if (allowed === undefined) {
    allowed = requirements.compatible(offering.requirements, ALL_WELL_KNOWN_LABELS);
    known.set(offering.requirements, allowed);
  }
  return allowed;
}

/** Available offerings that the requirements allow. */
export const launchableOfferings = ({ offerings }: InstanceType, requirements: Requirements): readonly Offering[] =>
  offerings.filter((offering) => offering.available && allows(requirements, offering));

/** The same requirements for one capacity type only. */
export function withCapacityType(requirements: Requirements, capacityType: string): Requirements {
  const result = requirements.copy();
  result.replace(Requirement.of(LABEL_CAPACITY_TYPE, 'In', [capacityType]));
  return result;
}
