import { LABEL_ARCH, LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_OS, LABEL_ZONE } from '../../src/apis/labels.ts';
import { canonicalQuantity, parseQuantityMilli } from '../../src/kube/quantity.ts';
import type { InstanceType, Offering } from '../../src/scheduling/instance-type.ts';
import { Requirement } from '../../src/scheduling/requirement.ts';
import { Requirements } from '../../src/scheduling/requirements.ts';
import { toResources } from '../../src/scheduling/resource-list.ts';
import type { Resources } from '../../src/scheduling/resources.ts';
import {
  LABEL_INSTANCE_CPU,
  LABEL_INSTANCE_FAMILY,
  LABEL_INSTANCE_MEMORY,
  LABEL_INSTANCE_SIZE,
} from '../apis/labels.ts';
import type { InstanceTypeOptions, OfferingOptions } from './instance-type-options.ts';

/** What Kubernetes allows a node that says nothing. */
const DEFAULT_PODS = '110';
const KUBE_RESERVED: Resources = { cpu: parseQuantityMilli('100m'), memory: parseQuantityMilli('10Mi') };
/** AWS writes family.size. */
const AWS_NAME = /^\w+\.(nano|micro|small|medium|large|\d*xlarge|metal)$/;

function sizeOf(name: string, cpu: string): string {
  return AWS_NAME.exec(name)?.[1] ?? cpu;
}

/** The text before the first dot or dash; the first letter when there is none. */
function familyOf(name: string): string {
  const end = name.search(/[.-]/);
  return end < 0 ? name.slice(0, 1) : name.slice(0, end);
}

function toOffering(options: OfferingOptions): Offering {
  return {
    requirements: Requirements.fromItems(options.Requirements),
    price: options.Price,
    available: options.Available ?? true,
    ...(options.ReservationCapacity ? { reservationCapacity: options.ReservationCapacity } : {}),
  };
}

function valuesOf(offerings: readonly OfferingOptions[], key: string): string[] {
  const values = offerings.flatMap((o) => o.Requirements.find((r) => r.key === key)?.values ?? []);
  return [...new Set(values)];
}

/** What the type may be by its offerings, beyond where and how they are sold: a zone's id, for example. */
function offeredLabels(offerings: readonly OfferingOptions[]): Requirement[] {
  const keys = new Set(offerings.flatMap(({ Requirements: items }) => items.map(({ key }) => key)));
  return [...keys]
    .filter((key) => key !== LABEL_ZONE && key !== LABEL_CAPACITY_TYPE)
    .map((key) => Requirement.of(key, 'In', valuesOf(offerings, key)));
}

/** An instance type as core sees it, with the labels that the fake cloud adds (karpenter-core.md 13.1.3-13.1.4). */
export function toInstanceType(options: InstanceTypeOptions): InstanceType {
  const cpu = options.resources.cpu === undefined ? '' : canonicalQuantity(options.resources.cpu);
  const memory = options.resources.memory === undefined ? '' : canonicalQuantity(options.resources.memory);
  return {
    name: options.name,
    requirements: new Requirements([
      Requirement.of(LABEL_INSTANCE_TYPE, 'In', [options.name]),
      Requirement.of(LABEL_ARCH, 'In', [options.architecture]),
      Requirement.of(LABEL_OS, 'In', options.operatingSystems),
      Requirement.of(LABEL_ZONE, 'In', valuesOf(options.offerings, LABEL_ZONE)),
      Requirement.of(LABEL_CAPACITY_TYPE, 'In', valuesOf(options.offerings, LABEL_CAPACITY_TYPE)),
      Requirement.of(LABEL_INSTANCE_SIZE, 'In', [sizeOf(options.name, cpu)]),
      Requirement.of(LABEL_INSTANCE_FAMILY, 'In', [familyOf(options.name)]),
      Requirement.of(LABEL_INSTANCE_CPU, 'In', [cpu]),
      Requirement.of(LABEL_INSTANCE_MEMORY, 'In', [memory]),
      ...Object.entries(options.labels ?? {}).map(([key, value]) =>
        value === null ? Requirement.of(key, 'DoesNotExist') : Requirement.of(key, 'In', [value]),
      ),
      ...offeredLabels(options.offerings),
    ]),
    offerings: options.offerings.map(toOffering),
    capacity: toResources({ pods: DEFAULT_PODS, ...options.resources }),
    overhead: { kubeReserved: options.overhead ? toResources(options.overhead) : KUBE_RESERVED },
  };
}
