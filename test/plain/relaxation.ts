/** Preferences are given up one at a time (karpenter-core.md 4.10). */
import type { Pod, PodSpec, Toleration } from '../../src/kube/objects.ts';

export const TOLERATE_PREFERENCES: Toleration = { operator: 'Exists', effect: 'PreferNoSchedule' };

/** The pod that asks for one thing less; undefined when it has given up all it can. */
export function relaxed(pod: Pod, toleratePreferences: boolean): Pod | undefined {
  const spec =
    lessRequiredTerm(pod.spec) ??
    lessPodTerm(pod.spec, 'podAffinity') ??
    lessPodTerm(pod.spec, 'podAntiAffinity') ??
    lessNodeTerm(pod.spec) ??
    lessSpread(pod.spec) ??
    (toleratePreferences ? moreTolerant(pod.spec) : undefined);
  return spec && { ...pod, spec };
}

/** The specs in which each of the required terms in turn is the first. */
export function withEachTerm(spec: PodSpec): readonly PodSpec[] {
  const rest = lessRequiredTerm(spec);
  return rest ? [spec, ...withEachTerm(rest)] : [spec];
}

function lessRequiredTerm(spec: PodSpec): PodSpec | undefined {
  const nodeAffinity = spec.affinity?.nodeAffinity;
  const [, ...rest] = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (rest.length === 0) return undefined;
  const required = { nodeSelectorTerms: rest };
  const changed = { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required };
  return { ...spec, affinity: { ...spec.affinity, nodeAffinity: changed } };
}

function lessPodTerm(spec: PodSpec, kind: 'podAffinity' | 'podAntiAffinity'): PodSpec | undefined {
  const rest = withoutHeaviest(spec.affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution);
  if (!rest) return undefined;
  const changed = { ...spec.affinity?.[kind], preferredDuringSchedulingIgnoredDuringExecution: rest };
  return { ...spec, affinity: { ...spec.affinity, [kind]: changed } };
}

function lessNodeTerm(spec: PodSpec): PodSpec | undefined {
  const rest = withoutHeaviest(spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution);
  if (!rest) return undefined;
  const changed = { ...spec.affinity?.nodeAffinity, preferredDuringSchedulingIgnoredDuringExecution: rest };
  return { ...spec, affinity: { ...spec.affinity, nodeAffinity: changed } };
}

function withoutHeaviest<T extends { readonly weight: number }>(terms: readonly T[] = []): readonly T[] | undefined {
  return terms.length === 0 ? undefined : terms.toSorted((a, b) => b.weight - a.weight).slice(1);
}

/** The last one takes the place of the first soft one. */
function lessSpread(spec: PodSpec): PodSpec | undefined {
  const constraints = spec.topologySpreadConstraints ?? [];
  const soft = constraints.findIndex(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
  if (soft < 0) return undefined;
  const moved = constraints.map((constraint, i) => (i === soft ? (constraints.at(-1) ?? constraint) : constraint));
  return { ...spec, topologySpreadConstraints: moved.slice(0, -1) };
}

function moreTolerant(spec: PodSpec): PodSpec | undefined {
  const { tolerations = [] } = spec;
  const already = tolerations.some(
    (t) => !t.key && !t.value && t.operator === 'Exists' && t.effect === 'PreferNoSchedule',
  );
  return already ? undefined : { ...spec, tolerations: [...tolerations, TOLERATE_PREFERENCES] };
}
