import { LABEL_INITIALIZED, LABEL_NODEPOOL, LABEL_REGISTERED } from '../apis/labels.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { Taint } from '../kube/objects.ts';
import type { HostPort } from './host-ports.ts';
import type { InstanceCatalogue } from './instance-catalogue.ts';
import { Requirement } from './requirement.ts';
import type { RequirementSet } from './requirement-sets.ts';
import { Requirements } from './requirements.ts';

/** What every new node of a pool starts from. */
export interface NodePoolTemplate {
  readonly nodePool: NodePool;
  readonly name: string;
  readonly taints: readonly Taint[];
  readonly set: RequirementSet;
  readonly catalogue: InstanceCatalogue;
  /** Host ports of each daemon group's daemons. */
  readonly daemonPorts: readonly (readonly HostPort[])[];
  /** Some type has a reserved offering. */
  readonly hasReserved: boolean;
  /** A NodeOverlay has changed some type's price or capacity. */
  readonly hasOverlays: boolean;
}

/**
 * Requirements of a new node of the pool. It will be registered and initialized one day, so daemons that select on that
 * are counted (karpenter-core.md 4.3.1).
 */
export function templateRequirements(nodePool: NodePool): Requirements {
  const { metadata, spec } = nodePool.spec.template;
  const { group, kind, name } = spec.nodeClassRef;
  const requirements = Requirements.fromItems(spec.requirements);
  requirements.addAll(
    Requirements.fromLabels({
      ...metadata?.labels,
      [LABEL_NODEPOOL]: nodePool.metadata.name,
      [`${group}/${kind.toLowerCase()}`]: name,
    }),
  );
  requirements.add(Requirement.of(LABEL_REGISTERED, 'In', ['true']));
  requirements.add(Requirement.of(LABEL_INITIALIZED, 'In', ['true']));
  return requirements;
}

/** Weight descending, equal ones by name descending (karpenter-core.md 3.5.2). */
export function byWeight(a: NodePool, b: NodePool): number {
  const difference = (b.spec.weight ?? 0) - (a.spec.weight ?? 0);
  return difference || (a.metadata.name < b.metadata.name ? 1 : -1);
}
