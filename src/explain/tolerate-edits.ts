import type { Toleration } from '../kube/objects.ts';
import { printTaint, sameTaint, untolerated } from '../scheduling/taints.ts';
import type { Reason } from '../scheduling/types.ts';
import type { Edit } from './edit.ts';
import { type EditContext, podEdit, poolEdit } from './edit-context.ts';

/** Tolerates the taint of the reason, or all of the pool's that the pod doesn't tolerate. */
export function tolerate(reason: Reason, context: EditContext): Edit[] {
  const taints = context.pool.spec.template.spec.taints ?? [];
  const named = taints.filter((taint) => reason.subject === printTaint(taint));
  const wanted = untolerated(named.length > 0 ? named : taints, context.pod.spec.tolerations);
  if (wanted.length === 0) return [];
  const added: Toleration[] = wanted.map(({ key, value, effect }) =>
    value ? { key, operator: 'Equal', value, effect } : { key, operator: 'Exists', effect },
  );
  return [
    podEdit(context, 'spec.tolerations', '', added.map(printToleration).join(', '), (pod) => ({
      ...pod,
      spec: { ...pod.spec, tolerations: [...(pod.spec.tolerations ?? []), ...added] },
    })),
    poolEdit(context, 'spec.template.spec.taints', wanted.map(printTaint).join(', '), '', (pool) => {
      const { template } = pool.spec;
      const kept = (template.spec.taints ?? []).filter((taint) => !wanted.some((other) => sameTaint(taint, other)));
      return { ...pool, spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, taints: kept } } } };
    }),
  ];
}

function printToleration({ key, operator, value, effect }: Toleration): string {
  const parts = Object.entries({ key, operator, value, effect }).filter(([, v]) => v !== undefined);
  return `{${parts.map(([name, v]) => `${name}: ${v}`).join(', ')}}`;
}
