/** Taints as the packer sees them: PreferNoSchedule is as hard as the others (upstream's pkg/scheduling/taints.go). */
import { TAINT_UNREGISTERED } from '../apis/labels.ts';
import type { Taint, Toleration } from '../kube/objects.ts';
import { tolerates } from '../kube/taints.ts';

/** On a node that is not initialized these are expected to go away again (karpenter-core.md 2.7). */
const EPHEMERAL: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready NoSchedule',
  'node.kubernetes.io/not-ready NoExecute',
  'node.kubernetes.io/unreachable NoSchedule',
  'node.cloudprovider.kubernetes.io/uninitialized NoSchedule',
  `${TAINT_UNREGISTERED.key} ${TAINT_UNREGISTERED.effect}`,
]);
const EPHEMERAL_PREFIX = 'readiness.k8s.io/';

/** A toleration that makes PreferNoSchedule taints harmless. */
export const TOLERATE_PREFER_NO_SCHEDULE: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };

/** The taints that nothing in `tolerations` tolerates, whatever their effect. */
export function untolerated(taints: readonly Taint[], tolerations: readonly Toleration[] = []): readonly Taint[] {
  return taints.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)));
}

export function toleratesAll(taints: readonly Taint[], tolerations: readonly Toleration[] = []): boolean {
  return taints.every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** Taints are the same when key and effect are. */
export function sameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

export function isKnownEphemeral(taint: Taint): boolean {
  return EPHEMERAL.has(`${taint.key} ${taint.effect}`) || taint.key.startsWith(EPHEMERAL_PREFIX);
}

/** `key=value:Effect`, or `key:Effect` without a value. */
export function printTaint(taint: Taint): string {
  return taint.value ? `${taint.key}=${taint.value}:${taint.effect}` : `${taint.key}:${taint.effect}`;
}
