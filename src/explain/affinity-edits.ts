import type { Affinity, Pod, PodAffinityTerm } from '../kube/objects.ts';
import type { Reason } from '../scheduling/types.ts';
import type { Edit } from './edit.ts';
import { type EditContext, podEdit } from './edit-context.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

/** Makes the pod's own term over the reason's key a wish; the terms of other pods are not its to change. */
export function preferAffinity({ code, subject, topology }: Reason, context: EditContext): Edit[] {
  if (topology?.ofOthers) return [];
  const kind = code === 'PodAffinity' ? 'podAffinity' : 'podAntiAffinity';
  const terms = context.pod.spec.affinity?.[kind]?.[REQUIRED] ?? [];
  return terms.flatMap((term, i) =>
    subject === undefined || term.topologyKey === subject
      ? [podEdit(context, `spec.affinity.${kind}`, `${REQUIRED}[${i}]`, PREFERRED, (pod) => preferred(pod, kind, term))]
      : [],
  );
}

function preferred(pod: Pod, kind: 'podAffinity' | 'podAntiAffinity', term: PodAffinityTerm): Pod {
  const rules = pod.spec.affinity?.[kind] ?? {};
  const changed = {
    ...rules,
    [REQUIRED]: (rules[REQUIRED] ?? []).filter((other) => other !== term),
    [PREFERRED]: [...(rules[PREFERRED] ?? []), { weight: 100, podAffinityTerm: term }],
  };
  const affinity: Affinity = { ...pod.spec.affinity, [kind]: changed };
  return { ...pod, spec: { ...pod.spec, affinity } };
}
