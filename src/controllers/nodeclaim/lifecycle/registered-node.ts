import {
  FINALIZER_TERMINATION,
  LABEL_DO_NOT_SYNC_TAINTS,
  LABEL_REGISTERED,
  TAINT_UNREGISTERED,
} from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { claimOwner } from '../../../cloudprovider/claim-owner.ts';
import type { Node, Taint } from '../../../kube/objects.ts';
import { sameTaint } from '../../../scheduling/taints.ts';

/** The node as its claim wants it (karpenter-core.md 5.3.3). */
export function syncedNode(claim: NodeClaim, node: Node): Node {
  const { metadata } = node;
  const owner = claimOwner(claim);
  const owners = metadata.ownerReferences ?? [];
  const finalizers = metadata.finalizers ?? [];
  return {
    ...node,
    metadata: {
      ...metadata,
      finalizers: finalizers.includes(FINALIZER_TERMINATION) ? finalizers : [...finalizers, FINALIZER_TERMINATION],
      ownerReferences: owners.some((o) => o.uid === owner.uid) ? owners : [...owners, owner],
      labels: { ...metadata.labels, ...claim.metadata.labels },
      annotations: { ...metadata.annotations, ...claim.metadata.annotations },
    },
    spec: { ...node.spec, taints: syncedTaints(claim, node) },
  };
}

/** The same, open to pods. */
export function registeredNode(claim: NodeClaim, node: Node): Node {
  const synced = syncedNode(claim, node);
  return {
    ...synced,
    metadata: { ...synced.metadata, labels: { ...synced.metadata.labels, [LABEL_REGISTERED]: 'true' } },
    spec: { ...synced.spec, taints: synced.spec.taints?.filter((taint) => !sameTaint(taint, TAINT_UNREGISTERED)) },
  };
}

/** What the node has already stays as it is, value and all. */
function syncedTaints({ spec }: NodeClaim, node: Node): readonly Taint[] {
  const taints = [...(node.spec.taints ?? [])];
  if (node.metadata.labels?.[LABEL_DO_NOT_SYNC_TAINTS] === 'true') return taints;
  for (const taint of [...(spec.taints ?? []), ...(spec.startupTaints ?? [])]) {
    if (!taints.some((other) => sameTaint(taint, other))) taints.push(taint);
  }
  return taints;
}
