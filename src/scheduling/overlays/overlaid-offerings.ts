import { LABEL_NODEPOOL } from '../../apis/labels.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import type { InstanceType, Offering } from '../instance-type.ts';
import { Requirement } from '../requirement.ts';
import { Requirements } from '../requirements.ts';

/**
 * The offerings that an overlay with these requirements is for; none when it is not for the type at all. It may select by
 * the pool's name, the labels of its template, and everything the type defines, but by nothing else
 * (karpenter-core.md 4.12.3).
 *
 * @param wellKnown keys that offerings may have without the overlay naming them.
 */
export function overlaidOfferings(
  nodePool: NodePool,
  type: InstanceType,
  selected: Requirements,
  wellKnown: ReadonlySet<string>,
): readonly Offering[] {
  const defined = new Requirements([Requirement.of(LABEL_NODEPOOL, 'In', [nodePool.metadata.name])]);
  defined.addAll(Requirements.fromLabels(nodePool.spec.template.metadata?.labels));
  defined.addAll(type.requirements);
  if (!defined.compatible(selected)) return [];
  return type.offerings.filter((offering) => selected.compatible(offering.requirements, wellKnown));
}
