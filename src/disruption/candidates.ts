/** Which nodes may be disrupted at all, and what stands in the way of the others (karpenter-core.md 7.2). */
import {
  ANNOTATION_DO_NOT_DISRUPT,
  LABEL_CAPACITY_TYPE,
  LABEL_INSTANCE_TYPE,
  LABEL_NODEPOOL,
  LABEL_ZONE,
} from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import type { PdbLimits } from '../scheduling/pdb-limits.ts';
import { isDisruptable, isReschedulable } from '../scheduling/pod-lifecycle.ts';
import { isInitialized, nodeAnnotations, nodeLabels, stateNodeName } from '../scheduling/state-node.ts';
import type { StateNode } from '../scheduling/types.ts';
import { blocked, objectName, silent } from './blockers.ts';
import type { Candidate } from './candidate.ts';
import { rescheduleDisruptionCost } from './eviction-cost.ts';
import { offeringPrice } from './prices.ts';
import type { Blocker } from './types.ts';
import type { WorldIndex } from './world-index.ts';

/** Graceful methods respect pods that may not be evicted; eventual ones don't where a grace period bounds the wait. */
export type DisruptionClass = 'graceful' | 'eventual';

export type CandidateOrBlocker =
  | { readonly candidate: Candidate }
  | { readonly candidate?: undefined; readonly blocker: Blocker };

/** What about the node itself (not its pods) keeps it from being disrupted. */
function nodeBlocker(node: StateNode, queued: ReadonlySet<string>, now: number): Blocker | undefined {
  const name = stateNodeName(node);
  if (queued.has(name)) return silent('InQueue', 'Node is already being disrupted');
  if (!node.nodeClaim) return silent('NoNodeClaim', "Node isn't managed by karpenter");
  if (!node.node) return blocked('NoNode', 'nodeclaim does not have an associated node');
  if (!isInitialized(node)) return blocked('NotInitialized', "node isn't initialized");
  if (node.markedForDeletion) return blocked('Deleting', 'node is deleting or marked for deletion');
  if ((node.nominatedUntil ?? 0) > now) return blocked('Nominated', 'node is nominated for a pending pod');
  if (nodeAnnotations(node)[ANNOTATION_DO_NOT_DISRUPT] === 'true') {
    const message = `disruption is blocked through the "${ANNOTATION_DO_NOT_DISRUPT}" annotation`;
    return blocked('DoNotDisruptNode', message, [`Node/${name}`]);
  }
  if (nodeLabels(node)[LABEL_NODEPOOL] === undefined) {
    return blocked('LabelMissing', `node doesn't have required label (label=${LABEL_NODEPOOL})`);
  }
  return undefined;
}

/** The first pod that may not be evicted, and the object that says so. */
function podBlocker(pods: readonly Pod[], pdbs: PdbLimits, now: number): Blocker | undefined {
  const kept = pods.find((pod) => !isDisruptable(pod, now));
  if (kept) {
    const key = `${kept.metadata.namespace ?? ''}/${kept.metadata.name}`;
    const message = `pod has "${ANNOTATION_DO_NOT_DISRUPT}" annotation (Pod=${key})`;
    return blocked('DoNotDisruptPod', message, [objectName('Pod', kept)]);
  }
  const block = pdbs.firstBlocked(pods, now);
  if (!block) return undefined;
  const keys = block.budgets.map((pdb) => `${pdb.metadata.namespace ?? ''}/${pdb.metadata.name}`);
  const objects = [objectName('Pod', block.pod), ...block.budgets.map((pdb) => objectName('PodDisruptionBudget', pdb))];
  return keys.length > 1
    ? blocked(
        'MultiplePodDisruptionBudgets',
        `eviction does not support multiple PDBs (PodDisruptionBudget(s)=[${keys.join(' ')}])`,
        objects,
      )
    : blocked('PodDisruptionBudget', `pdb prevents pod evictions (PodDisruptionBudget=[${keys.join(' ')}])`, objects);
}

/** One node as a candidate of a class of methods, or the first thing that rules it out. */
export function toCandidate(
  node: StateNode,
  disruptionClass: DisruptionClass,
  index: WorldIndex,
  queued: ReadonlySet<string>,
): CandidateOrBlocker {
  const now = index.world.now;
  const own = nodeBlocker(node, queued, now);
  if (own) return { blocker: own };
  const labels = nodeLabels(node);
  const poolName = labels[LABEL_NODEPOOL] ?? '';
  const pool = index.pool(poolName);
  if (!pool || pool.instanceTypes.size === 0) {
    return {
      blocker: blocked('NodePoolMissing', `NodePool not found (NodePool=${poolName})`, [`NodePool/${poolName}`]),
    };
  }
  const pods = index.podsOn(node);
  const kept = podBlocker(pods, index.pdbs, now);
  const bounded = node.nodeClaim?.spec.terminationGracePeriod !== undefined;
  if (kept && !(disruptionClass === 'eventual' && bounded)) return { blocker: kept };
  const reschedulablePods = pods.filter(isReschedulable);
  const instanceType: InstanceType | undefined = pool.instanceTypes.get(labels[LABEL_INSTANCE_TYPE] ?? '');
  return {
    candidate: {
      name: stateNodeName(node),
      node,
      nodePool: pool.nodePool,
      instanceType,
      zone: labels[LABEL_ZONE],
      capacityType: labels[LABEL_CAPACITY_TYPE],
      pods,
      reschedulablePods,
      price: instanceType ? offeringPrice(instanceType, labels[LABEL_ZONE], labels[LABEL_CAPACITY_TYPE]) : 0,
      disruptionCost: rescheduleDisruptionCost(reschedulablePods),
    },
  };
}
