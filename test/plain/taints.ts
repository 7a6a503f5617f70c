import type { Taint, Toleration } from '../../src/kube/objects.ts';
import { tolerates } from '../../src/kube/taints.ts';
import type { StateNode } from '../../src/scheduling/index.ts';
import { isInitialized, ownerOf } from './node-state.ts';

/** PreferNoSchedule is as hard as the others (karpenter-core.md 2.8). */
export function toleratesAll(taints: readonly Taint[], tolerations: readonly Toleration[] = []): boolean {
  return taints.every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

const PASSING = [
  'node.kubernetes.io/not-ready:NoSchedule',
  'node.kubernetes.io/not-ready:NoExecute',
  'node.kubernetes.io/unreachable:NoSchedule',
  'node.cloudprovider.kubernetes.io/uninitialized:NoSchedule',
  'karpenter.sh/unregistered:NoExecute',
];

/** While a node starts, taints that will go are passed over (karpenter-core.md 4.5.4). */
export function taintsOf(state: StateNode): readonly Taint[] {
  const taints = ownerOf(state)?.spec?.taints ?? [];
  if (isInitialized(state)) return taints;
  const startup = state.nodeClaim?.spec.startupTaints ?? [];
  return taints.filter(
    ({ key, effect }) =>
      !PASSING.includes(`${key}:${effect}`) &&
      !key.startsWith('readiness.k8s.io/') &&
      !startup.some((other) => other.key === key && other.effect === effect),
  );
}
