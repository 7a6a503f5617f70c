import { READY } from '../../../apis/condition-types.ts';
import { TAINT_UNREGISTERED } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { findCondition } from '../../../kube/conditions.ts';
import type { Node, Taint } from '../../../kube/objects.ts';
import { toResources } from '../../../scheduling/resource-list.ts';

/** Taints that go by themselves while a node starts (karpenter-core.md 2.7). */
const EPHEMERAL: readonly Pick<Taint, 'key' | 'effect'>[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' },
  TAINT_UNREGISTERED,
];
const EPHEMERAL_PREFIX = 'readiness.k8s.io/';

/** One thing that a node still lacks; reason and message of the condition Initialized. */
export interface InitializationObstacle {
  readonly reason: 'NodeNotReady' | 'StartupTaintsExist' | 'KnownEphemeralTaintsExist' | 'ResourceNotRegistered';
  readonly message: string;
}

/** Everything that keeps a registered node from being initialized, in the order of upstream's checks (karpenter-core.md 5.4). */
export function initializationObstacles(claim: NodeClaim, node: Node): readonly InitializationObstacle[] {
  const taints = node.spec.taints ?? [];
  const isStartup = (taint: Taint): boolean =>
    claim.spec.startupTaints?.some((s) => s.key === taint.key && s.effect === taint.effect) ?? false;
  const allocatable = toResources(node.status?.allocatable);
  const missing = Object.entries(toResources(claim.spec.resources?.requests)).filter(
    ([name, amount]) => amount !== 0 && !allocatable[name],
  );
  const obstacle = (reason: InitializationObstacle['reason'], message: string) => ({ reason, message });
  return [
    ...(findCondition(node, READY)?.status === 'True' ? [] : [obstacle('NodeNotReady', 'Node status is NotReady')]),
    ...taints
      .filter(isStartup)
      .map((taint) => obstacle('StartupTaintsExist', `StartupTaint "${printed(taint)}" still exists`)),
    ...taints
      .filter(isEphemeral)
      .map((taint) => obstacle('KnownEphemeralTaintsExist', `KnownEphemeralTaint "${printed(taint)}" still exists`)),
    ...missing.map(([name]) =>
      obstacle('ResourceNotRegistered', `Resource "${name}" was requested but not registered`),
    ),
  ];
}

const printed = ({ key, value, effect }: Taint): string => (value ? `${key}=${value}:${effect}` : `${key}:${effect}`);

const isEphemeral = (taint: Taint): boolean =>
  taint.key.startsWith(EPHEMERAL_PREFIX) || EPHEMERAL.some((e) => e.key === taint.key && e.effect === taint.effect);
