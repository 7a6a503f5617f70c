import type { Event } from '../../../events/recorder.ts';
import type { Node, Pod } from '../../../kube/objects.ts';
import { Nodes, Pods } from '../../../kube/resources.ts';

const LISTED = 5;

export function failedDraining(node: Node, problem: string): Event {
  return {
    resource: Nodes,
    object: node,
    type: 'Warning',
    reason: 'FailedDraining',
    message: `Failed to drain node, ${problem}`,
    dedupe: [node.metadata.name],
  };
}

export function awaitingVolumeDetachment(node: Node, attachments: readonly string[]): Event {
  const shown = attachments.slice(0, LISTED).join(', ');
  const others = attachments.length > LISTED ? ` and ${attachments.length - LISTED} other(s)` : '';
  return {
    resource: Nodes,
    object: node,
    type: 'Normal',
    reason: 'AwaitingVolumeDetachment',
    message: `Awaiting deletion of bound volumeattachments (${shown}${others})`,
    dedupe: [node.metadata.name],
  };
}

export function nodeTerminationGracePeriodExpiring(node: Node, time: string): Event {
  return {
    resource: Nodes,
    object: node,
    type: 'Warning',
    reason: 'TerminationGracePeriodExpiring',
    message: `All pods will be deleted by ${time}`,
    dedupe: [node.metadata.name],
  };
}

export function evicted(pod: Pod, reason: string): Event {
  return {
    resource: Pods,
    object: pod,
    type: 'Normal',
    reason: 'Evicted',
    message: `Evicted pod: ${reason}`,
    dedupe: [pod.metadata.name],
  };
}

export function disrupted(pod: Pod, graceSeconds: number, deadline: number): Event {
  return {
    resource: Pods,
    object: pod,
    type: 'Normal',
    reason: 'Disrupted',
    message:
      `Deleting the pod to accommodate the terminationTime ${goTime(deadline)} of the node. ` +
      `The pod was granted ${graceSeconds} seconds of grace-period of its ` +
      `${pod.spec.terminationGracePeriodSeconds ?? 0} terminationGracePeriodSeconds. ` +
      'This bypasses the PDB of the pod and the do-not-disrupt annotation.',
    dedupe: [pod.metadata.name],
  };
}

/** As Go prints a time: `2026-01-01 00:02:00 +0000 UTC`. */
function goTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
}
