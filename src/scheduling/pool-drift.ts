/** The two ways in which a claim stops being what its pool asks for, without asking the provider (karpenter-core.md 5.13.1). */
import { ANNOTATION_NODEPOOL_HASH, ANNOTATION_NODEPOOL_HASH_VERSION, LABEL_INSTANCE_TYPE } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { ownValue } from '../kube/label-requirement.ts';
import type { InstanceType } from './instance-type.ts';
import { Requirements } from './requirements.ts';

/** The pool's template has changed since the claim was made of it: their stamped hashes differ. */
export function isHashDrifted(nodePool: NodePool, claim: NodeClaim): boolean {
  const [ofPool = {}, ofClaim = {}] = [nodePool.metadata.annotations, claim.metadata.annotations];
  const version = ofPool[ANNOTATION_NODEPOOL_HASH_VERSION];
  const hash = ofPool[ANNOTATION_NODEPOOL_HASH];
  if (!version || !hash || !ofClaim[ANNOTATION_NODEPOOL_HASH]) return false;
  return version === ofClaim[ANNOTATION_NODEPOOL_HASH_VERSION] && hash !== ofClaim[ANNOTATION_NODEPOOL_HASH];
}

/**
 * The pool's requirements no longer allow what the claim is.
 *
 * @param types what the pool can buy: a label that claims did not get in their day is looked up there
 */
export function areRequirementsDrifted(
  nodePool: NodePool,
  claim: NodeClaim,
  types: readonly InstanceType[] = [],
): boolean {
  return !claimFacts(claim, types).compatible(Requirements.fromItems(nodePool.spec.template.spec.requirements));
}

/** The claim's labels, and what its instance type says alone about keys that they lack. */
export function claimFacts({ metadata: { labels = {} } }: NodeClaim, types: readonly InstanceType[]): Requirements {
  const facts = Requirements.fromLabels(labels);
  const type = types.find(({ name }) => name === labels[LABEL_INSTANCE_TYPE]);
  for (const requirement of type?.requirements ?? []) {
    const isFact = requirement.operator === 'In' && requirement.values.size === 1;
    if (isFact && ownValue(labels, requirement.key) === undefined) facts.add(requirement);
  }
  return facts;
}
