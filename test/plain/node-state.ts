/** A node and its claim read as one (karpenter-core.md 4.5.4). */
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { Node } from '../../src/kube/objects.ts';
import type { StateNode } from '../../src/scheduling/index.ts';
import { type Amounts, amounts } from './amounts.ts';
import type { Labels } from './requirements.ts';

export function nameOf({ node, nodeClaim }: StateNode): string {
  return node?.metadata.name ?? nodeClaim?.metadata.name ?? '';
}

/** Until the node is registered its claim says what it is. */
export function ownerOf({ node, nodeClaim }: StateNode): Node | NodeClaim | undefined {
  if (!nodeClaim) return node;
  return node?.metadata.labels?.['karpenter.sh/registered'] === 'true' ? node : nodeClaim;
}

export function labelsOf(state: StateNode): Labels {
  return ownerOf(state)?.metadata.labels ?? {};
}

export function isInitialized({ node, nodeClaim }: StateNode): boolean {
  return !nodeClaim || node?.metadata.labels?.['karpenter.sh/initialized'] === 'true';
}

/** What a node that starts does not report yet is taken from its claim. */
export function sizeOf(state: StateNode, which: 'capacity' | 'allocatable'): Amounts {
  const reported = amounts(state.node?.status?.[which]);
  if (isInitialized(state)) return reported;
  const promised = amounts(state.nodeClaim?.status?.[which]);
  const missing = Object.entries(promised).filter(([name]) => !reported[name]);
  return { ...reported, ...Object.fromEntries(missing) };
}
