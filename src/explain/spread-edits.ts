/** Edits of a pod's spread constraints: more skew, or a wish in place of a demand. */
import type { Pod, TopologySpreadConstraint } from '../kube/objects.ts';
import type { Reason } from '../scheduling/types.ts';
import type { Edit } from './edit.ts';
import { type EditContext, podEdit } from './edit-context.ts';

/** For the constraints over the key that the reason is about. */
export function loosenSpread({ subject, topology }: Reason, context: EditContext): Edit[] {
  const constraints = context.pod.spec.topologySpreadConstraints ?? [];
  return constraints.flatMap((constraint, i) => {
    const { topologyKey, whenUnsatisfiable, maxSkew } = constraint;
    if (whenUnsatisfiable !== 'DoNotSchedule' || (subject !== undefined && topologyKey !== subject)) return [];
    const path = `spec.topologySpreadConstraints[${i}]`;
    const change = (path: string, from: string, to: string, changed: TopologySpreadConstraint): Edit =>
      podEdit(context, path, from, to, (pod) => withConstraint(pod, i, changed));
    const soft = { ...constraint, whenUnsatisfiable: 'ScheduleAnyway' } as const;
    const enough = skewNeeded(topology);
    const skewed =
      enough !== undefined && enough > maxSkew
        ? [change(`${path}.maxSkew`, String(maxSkew), String(enough), { ...constraint, maxSkew: enough })]
        : [];
    return [...skewed, change(`${path}.whenUnsatisfiable`, whenUnsatisfiable, 'ScheduleAnyway', soft)];
  });
}

/** The skew at which the pod may go to the emptiest domain that is not yet allowed. */
function skewNeeded(topology: Reason['topology']): number | undefined {
  if (topology?.rule !== 'TopologySpread') return undefined;
  const counts = topology.domains.map(({ count }) => count);
  const closed = topology.domains.filter(({ allowed }) => !allowed).map(({ count }) => count);
  if (closed.length === 0) return undefined;
  return Math.min(...closed) + 1 - Math.min(...counts);
}

function withConstraint(pod: Pod, index: number, constraint: TopologySpreadConstraint): Pod {
  const constraints = pod.spec.topologySpreadConstraints ?? [];
  return { ...pod, spec: { ...pod.spec, topologySpreadConstraints: constraints.with(index, constraint) } };
}
