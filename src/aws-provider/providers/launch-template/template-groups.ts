import { CAPACITY_TYPE_RESERVED, LABEL_CAPACITY_TYPE } from '../../../apis/labels.ts';
import type { InstanceType, Offering } from '../../../scheduling/instance-type.ts';
import type { CapacityReservationType } from '../../apis/ec2-node-class.ts';
import {
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
  LABEL_CAPACITY_RESERVATION_TYPE,
  RESOURCE_EFA,
} from '../../apis/labels.ts';
import type { ReservationOfTemplate } from './resolved-template.ts';

type Strings = Readonly<Record<string, string>>;

/** What instance types must have in common to be launched with one template. */
export interface TemplateGroup {
  readonly imageID: string;
  readonly pods: number;
  readonly efaCount: number;
  readonly kubeReserved?: Strings;
  readonly systemReserved?: Strings;
  readonly reservations: readonly ReservationOfTemplate[];
}

/** Instance types by what they have in common, in the order of the first of each. */
export function groupBy<T, G>(items: readonly T[], groupOf: (item: T) => G): readonly (readonly [G, readonly T[]])[] {
  const groups = new Map<string, [G, T[]]>();
  for (const item of items) {
    const group = groupOf(item);
    const key = JSON.stringify(group);
    const known = groups.get(key);
    if (known) known[1].push(item);
    else groups.set(key, [group, [item]]);
  }
  return [...groups.values()];
}

/** A count among amounts that are in thousandths. */
const countOf = (type: InstanceType, resource: string): number => Math.floor((type.capacity[resource] ?? 0) / 1000);

export const podsOf = (type: InstanceType): number => countOf(type, 'pods');

export const efasOf = (type: InstanceType): number => countOf(type, RESOURCE_EFA);

/** The reservations that a type is sold from; those that are left of it are of one kind. */
export function reservationsOf({ offerings }: InstanceType): readonly ReservationOfTemplate[] {
  const reserved = offerings.filter((offering) => labelOf(offering, LABEL_CAPACITY_TYPE) === CAPACITY_TYPE_RESERVED);
  const [first] = reserved;
  if (!first) return [];
  const type = labelOf(first, LABEL_CAPACITY_RESERVATION_TYPE) as CapacityReservationType;
  const interruptible = labelOf(first, LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE) === 'true';
  return reserved.map((offering) => ({ id: labelOf(offering, LABEL_CAPACITY_RESERVATION_ID), type, interruptible }));
}

const labelOf = ({ requirements }: Offering, key: string): string => requirements.get(key).any();
