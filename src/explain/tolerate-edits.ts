import type { Pod, Taint, Toleration } from '../kube/objects.ts';
import type { Reason } from '../scheduling/types.ts';
import type { Edit } from './edit.ts';
import { type EditContext, podEdit } from './edit-context.ts';

/** Tolerates the taint of the reason, or all of the pool's that the pod doesn't tolerate. */
export function tolerate(reason: Reason, context: EditContext): Edit[] {
  const taints = context.pool.spec.template.spec.taints ?? [];
  const named = taints.filter(({ key }) => reason.subject?.startsWith(key));
  const wanted = (named.length > 0 ? named : taints).filter((taint) => !isTolerated(taint, context.pod));
  if (wanted.length === 0) return [];
  const added: Toleration[] = wanted.map(({ key, value, effect }) =>
    value ? { key, operator: 'Equal', value, effect } : { key, operator: 'Exists', effect },
  );
  return [
    podEdit(context, 'spec.tolerations', '', added.map(printToleration).join(', '), (pod) => ({
      ...pod,
      spec: { ...pod.spec, tolerations: [...(pod.spec.tolerations ?? []), ...added] },
    })),
  ];
}

function isTolerated(taint: Taint, pod: Pod): boolean {
  return (pod.spec.tolerations ?? []).some(
    (t) =>
      (t.effect === undefined || t.effect === '' || t.effect === taint.effect) &&
      ((t.key === undefined && t.operator === 'Exists') || t.key === taint.key) &&
      (t.operator === 'Exists' || (t.value ?? '') === (taint.value ?? '')),
  );
}

function printToleration({ key, operator, value, effect }: Toleration): string {
  const parts = Object.entries({ key, operator, value, effect }).filter(([, v]) => v !== undefined);
  return `{${parts.map(([name, v]) => `${name}: ${v}`).join(', ')}}`;
}
