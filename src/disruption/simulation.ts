/** Packing the cluster as if some nodes were gone (karpenter-core.md 7.4, upstream's SimulateScheduling). */
import type { Pod } from '../kube/objects.ts';
import { isVirtualPod } from '../scheduling/buffers/virtual-pods.ts';
import { isProvisionable } from '../scheduling/pod-lifecycle.ts';
import { isInitialized, stateNodeName } from '../scheduling/state-node.ts';
import type { PlannedNodeClaim, PodError, Results, StateNode } from '../scheduling/types.ts';

/**
 * Packs pending pods, those of deleting nodes and those of `without` on what remains; with `onlyPool`, no other pool may
 * grow for them.
 */
export type Simulate = (without: readonly StateNode[], enforceConsolidateAfter: boolean, onlyPool?: string) => Results;

export interface SimulationOutcome {
  readonly newNodeClaims: readonly PlannedNodeClaim[];
  /** Existing nodes that receive pods: node name → pods `ns/name`; the room of buffers is not told. */
  readonly placements: ReadonlyMap<string, readonly string[]>;
  /** Pods that had a home and would lose it. */
  readonly homeless: ReadonlyMap<Pod, PodError>;
}

const SHOWN_ERRORS = 5;

function key(pod: Pod): string {
  return `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`;
}

function uninitialized(node: StateNode): PodError {
  const parts = [
    ...(node.nodeClaim ? [`nodeclaim/${node.nodeClaim.metadata.name}`] : []),
    ...(node.node ? [`node/${node.node.metadata.name}`] : []),
  ];
  return { code: 'NotReached', message: `would schedule against uninitialized ${parts.join(', ')}` };
}

/**
 * Reads packing results as disruption does: pods that wait anyway may go on waiting, and a node that has not finished
 * starting is no place to move a pod to, unless its old node is on the way out already.
 */
export function readOutcome(results: Results, isOnDeletingNode: (pod: Pod) => boolean): SimulationOutcome {
  const homeless = new Map<Pod, PodError>();
  for (const [pod, error] of results.podErrors) if (!isProvisionable(pod)) homeless.set(pod, error);
  const placements = new Map<string, readonly string[]>();
  for (const { node, pods } of results.existingNodes) {
    const real = pods.filter((pod) => !isVirtualPod(pod));
    if (real.length > 0) placements.set(stateNodeName(node), real.map(key).sort());
    if (isInitialized(node)) continue;
    for (const pod of pods) if (!isOnDeletingNode(pod) && !isProvisionable(pod)) homeless.set(pod, uninitialized(node));
  }
  return { newNodeClaims: results.newNodeClaims, placements, homeless };
}

/** The failures in one line, five at the most, as upstream words it. */
export function describeHomeless(homeless: ReadonlyMap<Pod, PodError>): string {
  const entries = [...homeless].map(([pod, error]) => `${key(pod)} => ${error.message} `).sort();
  const rest = entries.length >= SHOWN_ERRORS ? ` and ${entries.length - SHOWN_ERRORS} other(s)` : '';
  return `Not all pods would schedule, ${entries.slice(0, SHOWN_ERRORS).join('')}${rest}`;
}

/** As `Pod/ns/name`, sorted. */
export function homelessObjects(homeless: ReadonlyMap<Pod, PodError>): readonly string[] {
  return [...homeless.keys()].map((pod) => `Pod/${key(pod)}`).sort();
}
