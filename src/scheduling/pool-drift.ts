/** The two ways in which a claim stops being what its pool asks for, without asking the provider (karpenter-core.md 5.13.1). */
import { ANNOTATION_NODEPOOL_HASH, ANNOTATION_NODEPOOL_HASH_VERSION } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { Requirements } from './requirements.ts';

/** The pool's template has changed since the claim was made of it: their stamped hashes differ. */
export function isHashDrifted(nodePool: NodePool, claim: NodeClaim): boolean {
  const [ofPool = {}, ofClaim = {}] = [nodePool.metadata.annotations, claim.metadata.annotations];
  const version = ofPool[ANNOTATION_NODEPOOL_HASH_VERSION];
  const hash = ofPool[ANNOTATION_NODEPOOL_HASH];
  if (!version || !hash || !ofClaim[ANNOTATION_NODEPOOL_HASH]) return false;
  return version === ofClaim[ANNOTATION_NODEPOOL_HASH_VERSION] && hash !== ofClaim[ANNOTATION_NODEPOOL_HASH];
}

/** The pool's requirements no longer allow what the claim's labels say it is. */
export function areRequirementsDrifted(nodePool: NodePool, claim: NodeClaim): boolean {
  const labels = Requirements.fromLabels(claim.metadata.labels);
  return !labels.compatible(Requirements.fromItems(nodePool.spec.template.spec.requirements));
}
