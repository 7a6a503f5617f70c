/** Spread constraints and pod affinity terms as rules about how many pods are where (karpenter-core.md 4.11). */
import type {
  LabelSelector,
  Namespace,
  Pod,
  PodAffinityTerm,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from '../../src/kube/objects.ts';
import { selects } from '../../src/kube/selectors.ts';
import { labelsAsWishes, meets, plus, type Wishes, wishesOf } from './requirements.ts';
import { toleratesAll } from './taints.ts';

export interface Rule {
  readonly type: 'spread' | 'affinity' | 'anti-affinity';
  readonly key: string;
  readonly namespaces: readonly string[];
  readonly selector: LabelSelector | undefined;
  /** Of the pod that has the rule. */
  readonly tolerations: readonly Toleration[];
  readonly maxSkew: number;
  readonly minDomains: number;
  /** Nodes that count; spread constraints only. */
  readonly nodes: NodeFilter | undefined;
}

export interface NodeFilter {
  readonly alternatives: readonly Wishes[];
  readonly honorAffinity: boolean;
  readonly honorTaints: boolean;
}

export function ownRules(pod: Pod, namespaces: readonly Namespace[], respectPreferences: boolean): readonly Rule[] {
  const { topologySpreadConstraints: constraints = [], affinity } = pod.spec;
  const terms = (kind: 'podAffinity' | 'podAntiAffinity'): readonly PodAffinityTerm[] => [
    ...(affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(respectPreferences ? (affinity?.[kind]?.preferredDuringSchedulingIgnoredDuringExecution ?? []) : []).map(
      ({ podAffinityTerm }) => podAffinityTerm,
    ),
  ];
  return [
    ...constraints
      .filter(({ whenUnsatisfiable }) => respectPreferences || whenUnsatisfiable === 'DoNotSchedule')
      .map((constraint) => spreadRule(pod, constraint)),
    ...terms('podAffinity').map((term) => affinityRule(pod, 'affinity', term, namespaces)),
    ...terms('podAntiAffinity').map((term) => affinityRule(pod, 'anti-affinity', term, namespaces)),
  ];
}

/** What the pod demands of others: preferences are its own affair. */
export function rulesForOthers(pod: Pod, namespaces: readonly Namespace[]): readonly Rule[] {
  const terms = pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.map((term) => affinityRule(pod, 'anti-affinity', term, namespaces));
}

function spreadRule({ metadata, spec }: Pod, constraint: TopologySpreadConstraint): Rule {
  const { labelSelector, matchLabelKeys = [], nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  const sameLabels = matchLabelKeys.flatMap((key) => {
    const value = metadata.labels?.[key];
    return value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }];
  });
  const expressions = [...(labelSelector?.matchExpressions ?? []), ...sameLabels];
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [{}];
  return {
    type: 'spread',
    key: constraint.topologyKey,
    namespaces: [metadata.namespace ?? ''],
    selector: labelSelector && { ...labelSelector, matchExpressions: expressions },
    tolerations: spec.tolerations ?? [],
    maxSkew: constraint.maxSkew,
    minDomains: constraint.minDomains ?? 0,
    nodes: {
      alternatives: terms.map((term) => plus(labelsAsWishes(spec.nodeSelector), wishesOf(term.matchExpressions))),
      honorAffinity: nodeAffinityPolicy !== 'Ignore',
      honorTaints: nodeTaintsPolicy === 'Honor',
    },
  };
}

function affinityRule(pod: Pod, type: Rule['type'], term: PodAffinityTerm, all: readonly Namespace[]): Rule {
  return {
    type,
    key: term.topologyKey,
    namespaces: namespacesOf(term, pod.metadata.namespace ?? '', all),
    selector: term.labelSelector,
    tolerations: pod.spec.tolerations ?? [],
    maxSkew: Number.POSITIVE_INFINITY,
    minDomains: 0,
    nodes: undefined,
  };
}

function namespacesOf(term: PodAffinityTerm, own: string, all: readonly Namespace[]): readonly string[] {
  const { namespaces = [], namespaceSelector } = term;
  if (!namespaceSelector) return namespaces.length > 0 ? namespaces : [own];
  const selected = all.filter(({ metadata }) => selects(namespaceSelector, metadata.labels));
  return [...namespaces, ...selected.map(({ metadata }) => metadata.name)];
}

export function concerns({ namespaces, selector }: Rule, { metadata }: Pod): boolean {
  return namespaces.includes(metadata.namespace ?? '') && selects(selector, metadata.labels);
}

export function counts({ nodes, tolerations }: Rule, taints: readonly Taint[], labels: Wishes): boolean {
  if (!nodes) return true;
  const { alternatives, honorAffinity, honorTaints } = nodes;
  if (honorAffinity && alternatives.length > 0 && !alternatives.some((one) => meets(labels, one))) return false;
  return !honorTaints || toleratesAll(taints, tolerations);
}

/**
 * Rules of which this is equal share their counts, and the first one decides for all: which nodes count by which values of
 * the keys, and from how many domains on, makes no difference (4.11.1).
 */
export function identity({ type, key, namespaces, selector, tolerations, maxSkew, nodes }: Rule): string {
  const filter = nodes && [
    unpaired(nodes.alternatives.map((alternative) => [...alternative.keys()].sort().join())),
    nodes.honorAffinity,
    nodes.honorTaints,
    unpaired(tolerations.map((t) => JSON.stringify([t.key, t.operator, t.value, t.effect, t.tolerationSeconds]))),
  ];
  const expressions = selector?.matchExpressions?.map(({ key: name, operator, values = [] }) =>
    JSON.stringify([name, operator, unpaired(values)]),
  );
  const selection = selector && [Object.entries(selector.matchLabels ?? {}).sort(), [...new Set(expressions)].sort()];
  return JSON.stringify([type, key, [...new Set(namespaces)].sort(), maxSkew, filter, selection]);
}

/** Upstream's hash of a list taken as a set: what is in it twice leaves no trace. */
function unpaired(texts: readonly string[]): readonly string[] {
  const often = (text: string): number => texts.filter((other) => other === text).length;
  return [...new Set(texts)].filter((text) => often(text) % 2 === 1).sort();
}
