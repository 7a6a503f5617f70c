import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE, LABEL_ZONE } from '../../../../apis/labels.ts';
import { Requirement } from '../../../../scheduling/requirement.ts';
import { Requirements } from '../../../../scheduling/requirements.ts';
import type { CapacityReservationStatus } from '../../../apis/ec2-node-class.ts';
import {
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
  LABEL_CAPACITY_RESERVATION_TYPE,
  LABEL_PLACEMENT_GROUP_PARTITION,
  LABEL_ZONE_ID,
} from '../../../apis/labels.ts';

const NOT_RESERVED: readonly Requirement[] = [
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_CAPACITY_RESERVATION_TYPE,
  LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
].map((label) => Requirement.of(label, 'DoesNotExist'));

const is = (label: string, value: string): Requirement => Requirement.of(label, 'In', [value]);

/** Requirements of offerings. Those of all types in one zone are the same object: a thousand types share a dozen. */
export class OfferingRequirements {
  readonly #known = new Map<string, Requirements>();

  /** Of an on-demand or spot offering. */
  of(capacityType: string, zone: string, zoneID: string | undefined): Requirements {
    return this.#once([capacityType, zone, zoneID], () => [
      is(LABEL_CAPACITY_TYPE, capacityType),
      is(LABEL_ZONE, zone),
      ...NOT_RESERVED,
      ...zoneIDOf(zoneID),
    ]);
  }

  ofReservation(reservation: CapacityReservationStatus, zoneID: string | undefined): Requirements {
    const { id, availabilityZone, reservationType, interruptible } = reservation;
    return this.#once([id, availabilityZone, reservationType, interruptible, zoneID], () => [
      is(LABEL_CAPACITY_TYPE, CAPACITY_TYPE_RESERVED),
      is(LABEL_ZONE, availabilityZone),
      is(LABEL_CAPACITY_RESERVATION_ID, id),
      is(LABEL_CAPACITY_RESERVATION_TYPE, reservationType),
      is(LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE, String(interruptible)),
      ...zoneIDOf(zoneID),
    ]);
  }

  #once(parts: readonly unknown[], make: () => Iterable<Requirement>): Requirements {
    const key = parts.join(' ');
    let requirements = this.#known.get(key);
    if (!requirements) {
      requirements = new Requirements(make());
      this.#known.set(key, requirements);
    }
    return requirements;
  }
}

const zoneIDOf = (zoneID: string | undefined): readonly Requirement[] =>
  zoneID === undefined ? [] : [is(LABEL_ZONE_ID, zoneID)];

/** The same requirements within one partition of a placement group; the same object each time. */
export class PartitionRequirements {
  readonly #known = new WeakMap<Requirements, Map<string, Requirements>>();

  of(requirements: Requirements, partition: string): Requirements {
    let byPartition = this.#known.get(requirements);
    if (!byPartition) {
      byPartition = new Map();
      this.#known.set(requirements, byPartition);
    }
    let within = byPartition.get(partition);
    if (!within) {
      within = new Requirements([...requirements, is(LABEL_PLACEMENT_GROUP_PARTITION, partition)]);
      byPartition.set(partition, within);
    }
    return within;
  }
}
