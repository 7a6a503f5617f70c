import { READY } from '../../../apis/condition-types.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { findCondition } from '../../../kube/conditions.ts';
import type { Node } from '../../../kube/objects.ts';
import { toResources } from '../../../scheduling/resource-list.ts';
import { isKnownEphemeral, printTaint, sameTaint } from '../../../scheduling/taints.ts';

/** One thing that a node still lacks; reason and message of the condition Initialized. */
export interface InitializationObstacle {
  readonly reason: 'NodeNotReady' | 'StartupTaintsExist' | 'KnownEphemeralTaintsExist' | 'ResourceNotRegistered';
  readonly message: string;
}

/** Everything that keeps a registered node from being initialized, in the order of upstream's checks (karpenter-core.md 5.4). */
export function initializationObstacles(claim: NodeClaim, node: Node): readonly InitializationObstacle[] {
  const taints = node.spec.taints ?? [];
  const startup = (claim.spec.startupTaints ?? []).flatMap((s) => taints.filter((taint) => sameTaint(s, taint)));
  const allocatable = toResources(node.status?.allocatable);
  const missing = Object.entries(toResources(claim.spec.resources?.requests)).filter(
    ([name, amount]) => amount !== 0 && !allocatable[name],
  );
  const obstacle = (reason: InitializationObstacle['reason'], message: string) => ({ reason, message });
  return [
    ...(findCondition(node, READY)?.status === 'True' ? [] : [obstacle('NodeNotReady', 'Node status is NotReady')]),
    ...startup.map((taint) => obstacle('StartupTaintsExist', `StartupTaint "${printTaint(taint)}" still exists`)),
    ...taints
      .filter(isKnownEphemeral)
      .map((taint) => obstacle('KnownEphemeralTaintsExist', `KnownEphemeralTaint "${printTaint(taint)}" still exists`)),
    ...missing.map(([name]) =>
      obstacle('ResourceNotRegistered', `Resource "${name}" was requested but not registered`),
    ),
  ];
}
