/** What a pod would like but does not need. */
import type { PodSpec } from '../kube/objects.ts';

const NOTHING_PREFERRED = { preferredDuringSchedulingIgnoredDuringExecution: [] } as const;

/** Its preferences in words, each once. */
export function softRules({ affinity, topologySpreadConstraints = [] }: PodSpec): readonly string[] {
  const preferred = (kind: 'podAffinity' | 'podAntiAffinity') =>
    (affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => `preferred ${kind} over ${podAffinityTerm.topologyKey}`,
    );
  const nodes = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const spread = topologySpreadConstraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
  const rules = [
    ...preferred('podAffinity'),
    ...preferred('podAntiAffinity'),
    ...nodes.map(() => 'preferred nodeAffinity'),
    ...spread.map(({ topologyKey }) => `ScheduleAnyway spread over ${topologyKey}`),
  ];
  return [...new Set(rules)];
}

/** The pod with all of them given up. */
export function withoutSoftRules(spec: PodSpec): PodSpec {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
  return {
    ...spec,
    affinity: {
      ...spec.affinity,
      ...(nodeAffinity && { nodeAffinity: { ...nodeAffinity, ...NOTHING_PREFERRED } }),
      ...(podAffinity && { podAffinity: { ...podAffinity, ...NOTHING_PREFERRED } }),
      ...(podAntiAffinity && { podAntiAffinity: { ...podAntiAffinity, ...NOTHING_PREFERRED } }),
    },
    topologySpreadConstraints: (spec.topologySpreadConstraints ?? []).filter(
      ({ whenUnsatisfiable }) => whenUnsatisfiable !== 'ScheduleAnyway',
    ),
  };
}
