import { LABEL_CAPACITY_TYPE, LABEL_NODEPOOL } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { Labels } from '../../metrics/metrics.ts';

/** Labels of `nodeclaims_disrupted_total`. */
export function disruptedLabels(claim: NodeClaim, reason: string): Labels {
  return { reason, nodepool: poolOf(claim), capacity_type: claim.metadata.labels?.[LABEL_CAPACITY_TYPE] ?? '' };
}

export function poolOf(claim: NodeClaim): string {
  return claim.metadata.labels?.[LABEL_NODEPOOL] ?? '';
}
