import type { Taint, Toleration } from './objects.ts';

/** Whether the toleration lets a pod live with the taint (core/v1's ToleratesTaint). */
export function tolerates(toleration: Toleration, taint: Taint): boolean {
  if (toleration.effect && toleration.effect !== taint.effect) return false;
  if (toleration.key && toleration.key !== taint.key) return false;
  if (toleration.operator === 'Exists') return true;
  // Without a key only Exists can match: an empty key with Equal is refused by the API.
  return toleration.key === taint.key && (toleration.value ?? '') === (taint.value ?? '');
}

/** The first taint of one of the effects that none of the tolerations tolerates. */
export function untoleratedTaint(
  taints: readonly Taint[] | undefined,
  tolerations: readonly Toleration[] | undefined,
  effects: readonly string[],
): Taint | undefined {
  return taints?.find(
    (taint) => effects.includes(taint.effect) && !tolerations?.some((toleration) => tolerates(toleration, taint)),
  );
}
