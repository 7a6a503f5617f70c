import type { NodePool } from '../apis/node-pool.ts';
import { conditionIsTrue } from '../kube/conditions.ts';
import type { Allocatables } from './allocatables.ts';
import { type Daemon, groupByDaemons } from './daemons.ts';
import { InstanceCatalogue } from './instance-catalogue.ts';
import { isReserved } from './instance-offerings.ts';
import { satisfiesMinValues } from './min-values.ts';
import { type NodePoolTemplate, templateRequirements } from './node-pool-template.ts';
import type { RequirementSets } from './requirement-sets.ts';
import type { PoolAndTypes } from './types.ts';

/** Ready, not static, not going away (karpenter-core.md 3.5.1). */
export function usablePool(nodePool: NodePool): boolean {
  return (
    nodePool.spec.replicas === undefined &&
    nodePool.metadata.deletionTimestamp === undefined &&
    conditionIsTrue(nodePool, 'Ready')
  );
}

/** A pool's own requirements leave it no instance type. */
export interface EmptyPool {
  readonly nodePool: NodePool;
  /** It is minValues that does. */
  readonly minValues: boolean;
}

export interface TemplateContext {
  readonly sets: RequirementSets;
  readonly allocatables: Allocatables;
  readonly daemons: readonly Daemon[];
  readonly relaxMinValues: boolean;
  readonly keepKnownFaults: boolean;
}

/** What new nodes of the pool start from. */
export function nodePoolTemplate(
  { nodePool, instanceTypes }: PoolAndTypes,
  { sets, allocatables, daemons, ...options }: TemplateContext,
): NodePoolTemplate | EmptyPool {
  const requirements = templateRequirements(nodePool);
  const set = sets.intern(requirements);
  const taints = nodePool.spec.template.spec.taints ?? [];
  const offered = new InstanceCatalogue([{ instanceTypes, overhead: {}, daemons: [] }], sets.wellKnown, allocatables);
  const eligible = offered.eligible(set);
  const types = offered.types(eligible.map((word, w) => (word & (offered.all[w] ?? 0)) >>> 0));
  if (types.length === 0) return { nodePool, minValues: false };
  if (!options.relaxMinValues && satisfiesMinValues(types, requirements, options.keepKnownFaults).error !== undefined)
    return { nodePool, minValues: true };
  const groups = groupByDaemons(types, daemons, { taints, requirements }, sets.wellKnown);
  return {
    nodePool,
    name: nodePool.metadata.name,
    taints,
    set,
    catalogue: new InstanceCatalogue(groups, sets.wellKnown, allocatables),
    daemonPorts: groups.map(({ ports }) => ports),
    hasReserved: types.some((type) => type.offerings.some(isReserved)),
    hasOverlays: types.some((type) => type.capacityOverlaid || type.offerings.some((o) => o.priceOverlaid)),
  };
}
