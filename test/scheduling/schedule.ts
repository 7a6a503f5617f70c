import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import {
  genericInstanceTypes,
  type OfferingOptions,
  toInstanceType,
} from '../../kwok-provider/instance-types/index.ts';
import type { KubeObject, Pod } from '../../src/kube/objects.ts';
import { type InstanceType, type Results, type ScheduleOptions, solve } from '../../src/scheduling/index.ts';
import { stateNodeName } from '../../src/scheduling/state-node.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';

export const ZONE = 'topology.kubernetes.io/zone';
export const HOSTNAME = 'kubernetes.io/hostname';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
export const NOW = Date.parse('2026-12-01T00:00:00Z');

export interface Sold {
  readonly zone?: string;
  readonly capacityType?: string;
  readonly price?: number;
  readonly available?: boolean;
}

/** An instance type with nothing reserved for the system but what the fake cloud takes (100m, 10Mi). */
export function instanceType(
  name: string,
  resources: Readonly<Record<string, string>>,
  sold: readonly Sold[] = [{}],
): InstanceType {
  const offerings: OfferingOptions[] = sold.map(({ zone = 'zone-a', capacityType = 'on-demand', price = 1 }) => ({
    Price: price,
    Requirements: [
      { key: CAPACITY_TYPE, operator: 'In', values: [capacityType] },
      { key: ZONE, operator: 'In', values: [zone] },
    ],
  }));
  const type = toInstanceType({ name, architecture: 'amd64', operatingSystems: ['linux'], resources, offerings });
  return {
    ...type,
    offerings: type.offerings.map((offering, i) => ({ ...offering, available: sold[i]?.available ?? true })),
  };
}

const DEFAULTS: ScheduleOptions = {
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  reservedOfferingMode: 'Strict',
  reservedCapacity: true,
  enforceConsolidateAfter: false,
  ignoreDRARequests: true,
  reasons: true,
  wellKnownLabels: new Set(KWOK_WELL_KNOWN_LABELS),
};

/** Decides about a cluster of these objects, pods by name; without types, with the fake cloud's made-up ones. */
export function schedule(
  objects: readonly KubeObject[],
  types: readonly InstanceType[] = genericInstanceTypes().map(toInstanceType),
  options: Partial<ScheduleOptions> = {},
): Results {
  const world = worldFromObjects(objects, { instanceTypes: types, now: NOW });
  const asked = world.pods.find((pod) => pod.metadata.name === options.reasonsFor?.metadata.name);
  return solve(world, 'provisionable', { ...DEFAULTS, ...options, ...(asked ? { reasonsFor: asked } : {}) });
}

const name = (pod: Pod): string => pod.metadata.name;

/** Pod names per new claim, each list and all lists sorted. */
export function newNodes(results: Results): string[][] {
  return results.newNodeClaims.map(({ pods }) => pods.map(name).sort()).sort();
}

/** Node name → names of the pods placed there. */
export function onNodes(results: Results): Record<string, string[]> {
  return Object.fromEntries(
    results.existingNodes.map(({ node, pods }) => [stateNodeName(node), pods.map(name).sort()]),
  );
}

/** Pod name → code of its error. */
export function errors(results: Results): Record<string, string> {
  return Object.fromEntries([...results.podErrors].map(([pod, error]) => [name(pod), error.code]));
}

/** The values of a key, claim by claim, sorted. */
export function valuesOf(results: Results, key: string): string[] {
  return results.newNodeClaims.map(({ requirements }) => [...requirements.get(key).values].sort().join('+')).sort();
}

export function typesOf(results: Results): string[][] {
  return results.newNodeClaims.map(({ instanceTypes }) => instanceTypes.map((type) => type.name));
}
