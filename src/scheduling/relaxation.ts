/** Giving up a pod's preferences, one at a time (karpenter-core.md 4.10; upstream's preferences.go). */
import type { Affinity, PodSpec } from '../kube/objects.ts';
import { TOLERATE_PREFER_NO_SCHEDULE } from './taints.ts';

/**
 * The pod with its next preference given up; undefined when there is none left.
 *
 * @param toleratePreferNoSchedule some pool has such a taint, so tolerating them may help
 */
export function relax(spec: PodSpec, toleratePreferNoSchedule: boolean): PodSpec | undefined {
  return (
    withoutFirstRequiredTerm(spec) ??
    withoutHeaviest(spec, 'podAffinity') ??
    withoutHeaviest(spec, 'podAntiAffinity') ??
    withoutHeaviestNodePreference(spec) ??
    withoutScheduleAnyway(spec) ??
    (toleratePreferNoSchedule ? toleratingPreferences(spec) : undefined)
  );
}

/** Terms are alternatives; the last one stays. */
export function withoutFirstRequiredTerm(spec: PodSpec): PodSpec | undefined {
  const node = spec.affinity?.nodeAffinity;
  const terms = node?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (terms.length <= 1) return undefined;
  return withAffinity(spec, {
    nodeAffinity: {
      ...node,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms.slice(1) },
    },
  });
}

function withoutHeaviest(spec: PodSpec, pods: 'podAffinity' | 'podAntiAffinity'): PodSpec | undefined {
  const rules = spec.affinity?.[pods];
  const preferred = rules?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (preferred.length === 0) return undefined;
  const rest = [...preferred].sort((a, b) => b.weight - a.weight).slice(1);
  return withAffinity(spec, { [pods]: { ...rules, preferredDuringSchedulingIgnoredDuringExecution: rest } });
}

function withoutHeaviestNodePreference(spec: PodSpec): PodSpec | undefined {
  const node = spec.affinity?.nodeAffinity;
  const preferred = node?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (preferred.length === 0) return undefined;
  const rest = [...preferred].sort((a, b) => b.weight - a.weight).slice(1);
  return withAffinity(spec, { nodeAffinity: { ...node, preferredDuringSchedulingIgnoredDuringExecution: rest } });
}

/** The first soft constraint goes; the last constraint takes its place. */
function withoutScheduleAnyway(spec: PodSpec): PodSpec | undefined {
  const constraints = [...(spec.topologySpreadConstraints ?? [])];
  const index = constraints.findIndex((constraint) => constraint.whenUnsatisfiable === 'ScheduleAnyway');
  if (index < 0) return undefined;
  const last = constraints.pop();
  if (last && index < constraints.length) constraints[index] = last;
  return { ...spec, topologySpreadConstraints: constraints };
}

function toleratingPreferences(spec: PodSpec): PodSpec | undefined {
  const tolerations = spec.tolerations ?? [];
  const { operator, effect } = TOLERATE_PREFER_NO_SCHEDULE;
  if (tolerations.some((t) => !t.key && t.effect === effect && t.operator === operator && !t.value)) return undefined;
  return { ...spec, tolerations: [...tolerations, TOLERATE_PREFER_NO_SCHEDULE] };
}

function withAffinity(spec: PodSpec, change: Affinity): PodSpec {
  return { ...spec, affinity: { ...spec.affinity, ...change } };
}
