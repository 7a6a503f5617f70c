import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../../../apis/labels.ts';
import { compatibleOfferings } from '../../../scheduling/instance-offerings.ts';
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

export const capacityTypeOf = ({ requirements }: Offering): string => requirements.get(LABEL_CAPACITY_TYPE).any();

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

/** Available offerings that the requirements allow. */
export const launchableOfferings = (type: InstanceType, requirements: Requirements): readonly Offering[] =>
  compatibleOfferings(type, requirements, ALL_WELL_KNOWN_LABELS);

/** The same requirements for one capacity type only. */
export function withCapacityType(requirements: Requirements, capacityType: string): Requirements {
  const result = requirements.copy();
  result.replace(Requirement.of(LABEL_CAPACITY_TYPE, 'In', [capacityType]));
  return result;
}
