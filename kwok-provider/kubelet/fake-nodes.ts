import type { Node } from '../../src/kube/objects.ts';
import { KWOK_NODE_KEY, KWOK_NODE_VALUE } from '../apis/labels.ts';

/** Whether a node has no kubelet but ours. */
export function isFakeNode(node: Node): boolean {
  return node.metadata.annotations?.[KWOK_NODE_KEY] === KWOK_NODE_VALUE;
}

export function isNodeReady(node: Node): boolean {
  return node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}

/** The kubelet of the node has come up at some time. */
export function hasStarted(node: Node): boolean {
  return node.status?.phase === 'Running';
}
