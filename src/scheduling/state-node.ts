/** Reading a node and its claim as one (upstream's state.StateNode). */
import { LABEL_INITIALIZED, LABEL_NODEPOOL, LABEL_REGISTERED } from '../apis/labels.ts';
import type { StateNode } from './types.ts';

type Strings = Readonly<Record<string, string>>;
const NONE: Strings = {};

export function stateNodeName(node: StateNode): string {
  return node.node?.metadata.name ?? node.nodeClaim?.metadata.name ?? '';
}

export function providerID(node: StateNode): string {
  return node.node?.spec.providerID ?? node.nodeClaim?.status?.providerID ?? '';
}

/** Karpenter made the node: it has a claim. */
export function isManaged(node: StateNode): boolean {
  return node.nodeClaim !== undefined;
}

/** A node without a claim counts as registered. */
export function isRegistered(node: StateNode): boolean {
  if (!node.nodeClaim) return true;
  return node.node?.metadata.labels?.[LABEL_REGISTERED] === 'true';
}

/** A node without a claim counts as initialized. */
export function isInitialized(node: StateNode): boolean {
  if (!node.nodeClaim) return true;
  return node.node?.metadata.labels?.[LABEL_INITIALIZED] === 'true';
}

/** The claim's labels until the node is registered, then the node's. */
export function nodeLabels(node: StateNode): Strings {
  const owner = node.node && isRegistered(node) ? node.node : node.nodeClaim;
  return owner?.metadata.labels ?? NONE;
}

export function nodeAnnotations(node: StateNode): Strings {
  const owner = node.node && isRegistered(node) ? node.node : node.nodeClaim;
  return owner?.metadata.annotations ?? NONE;
}

export function nodePoolName(node: StateNode): string | undefined {
  return nodeLabels(node)[LABEL_NODEPOOL];
}
