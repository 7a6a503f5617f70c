import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import {
  CAPACITY_TYPE_ON_DEMAND,
  CAPACITY_TYPE_RESERVED,
  CAPACITY_TYPE_SPOT,
  LABEL_ARCH,
  LABEL_CAPACITY_TYPE,
  LABEL_INSTANCE_TYPE,
  LABEL_OS,
  LABEL_REGION,
  LABEL_WINDOWS_BUILD,
  LABEL_ZONE,
} from '../../../apis/labels.ts';
import { Requirement } from '../../../scheduling/requirement.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import type { CapacityReservationStatus } from '../../apis/ec2-node-class.ts';
import type { ZoneInfo } from '../../apis/ec2-node-class-facts.ts';
import {
  LABEL_CAPACITY_RESERVATION_ID,
  LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
  LABEL_CAPACITY_RESERVATION_TYPE,
  LABEL_INSTANCE_TENANCY,
  LABEL_ZONE_ID,
} from '../../apis/labels.ts';
import type { AmiFamily } from '../ami-family/family.ts';
import { hardwareLabels } from './hardware-labels.ts';

const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', arm64: 'arm64' };
const TENANCIES = ['default', 'dedicated'];
const PURCHASABLE: ReadonlySet<string> = new Set([CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_SPOT]);

/** Where a type is sold, and to whom. */
export interface Market {
  readonly region: string;
  /** The zones that sell the type. */
  readonly offeredZones: ReadonlySet<string>;
  /** The zones that the class has subnets in. */
  readonly subnetZones: readonly ZoneInfo[];
  /** The class's reservations of this type. */
  readonly reservations: readonly CapacityReservationStatus[];
}

/** What a node of the type is labelled with; a label that it lacks is required not to exist (aws-provider.md section 21). */
export function requirementsOf(info: InstanceTypeInfo, family: AmiFamily, market: Market): Requirements {
  const { region, offeredZones, subnetZones, reservations } = market;
  const sold = subnetZones.filter(({ zone }) => offeredZones.has(zone));
  const zoneIDs = sold.map(({ zoneID }) => zoneID);
  const build = windowsBuildOf(family);
  const architecture = architectureOf(info);
  const requirements = new Requirements([
    oneOf(LABEL_INSTANCE_TYPE, [info.InstanceType ?? '']),
    oneOf(LABEL_ARCH, [architecture]),
    oneOf(LABEL_OS, operatingSystems(architecture, build)),
    oneOf(
      LABEL_ZONE,
      sold.map(({ zone }) => zone),
    ),
    oneOf(LABEL_REGION, [region]),
    oneOf(LABEL_WINDOWS_BUILD, build === undefined ? [] : [build]),
    oneOf(LABEL_CAPACITY_TYPE, capacityTypes(info, reservations.length > 0)),
    oneOf(LABEL_INSTANCE_TENANCY, TENANCIES),
    oneOf(
      LABEL_CAPACITY_RESERVATION_ID,
      reservations.map(({ id }) => id),
    ),
    oneOf(
      LABEL_CAPACITY_RESERVATION_TYPE,
      reservations.map(({ reservationType }) => reservationType),
    ),
    oneOf(
      LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
      reservations.map(({ interruptible }) => String(interruptible)),
    ),
  ]);
  for (const [label, value] of hardwareLabels(info)) requirements.add(oneOf(label, value === undefined ? [] : [value]));
  // Classes that an older version has resolved may not know their zones' ids.
  if (zoneIDs.length > 0) requirements.add(oneOf(LABEL_ZONE_ID, zoneIDs));
  return requirements;
}

/** The first architecture that Kubernetes has a name for. */
function architectureOf({ ProcessorInfo }: InstanceTypeInfo): string {
  const supported = ProcessorInfo?.SupportedArchitectures ?? [];
  return supported.flatMap((name) => ARCHITECTURES[name] ?? [])[0] ?? `[${supported.join(' ')}]`;
}

/** Value of `node.kubernetes.io/windows-build` on the family's nodes; undefined unless they run Windows. */
function windowsBuildOf(family: AmiFamily): string | undefined {
  return 'build' in family && typeof family.build === 'string' ? family.build : undefined;
}

function operatingSystems(architecture: string, windowsBuild: string | undefined): readonly string[] {
  if (windowsBuild === undefined) return ['linux'];
  return architecture === 'amd64' ? ['windows'] : [];
}

function capacityTypes({ SupportedUsageClasses = [] }: InstanceTypeInfo, isReserved: boolean): readonly string[] {
  const purchasable = SupportedUsageClasses.filter((name) => PURCHASABLE.has(name));
  return isReserved ? [...purchasable, CAPACITY_TYPE_RESERVED] : purchasable;
}

const ABSENT = new Map<string, Requirement>();

/** None of no values: then the label must not exist. */
function oneOf(label: string, values: readonly string[]): Requirement {
  if (values.length > 0) return Requirement.of(label, 'In', values);
  let absent = ABSENT.get(label);
  if (!absent) {
    absent = Requirement.of(label, 'DoesNotExist');
    ABSENT.set(label, absent);
  }
  return absent;
}
