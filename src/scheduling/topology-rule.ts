import { ownValue } from '../kube/label-requirement.ts';
import type {
  LabelSelector,
  Namespace,
  PodAffinityTerm,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
} from '../kube/objects.ts';
import { type LabelMatcher, lenientMatcher, selects } from '../kube/selectors.ts';
import { filterSignature, type NodeFilter, nodeFilter, oddOnes } from './node-filter.ts';

export type TopologyType = 'topology spread' | 'pod affinity' | 'pod anti-affinity';

/** A spread constraint or affinity term of one pod, as a rule about counts per domain (karpenter-core.md 4.11). */
export interface TopologyRule {
  readonly type: TopologyType;
  readonly key: string;
  readonly maxSkew: number;
  readonly minDomains: number | undefined;
  readonly namespaces: ReadonlySet<string>;
  readonly selector: LabelSelector | undefined;
  /** Spread constraints only. */
  readonly filter: NodeFilter | undefined;
  /** The owner's, which decide which domains exist for the rule. */
  readonly tolerations: readonly Toleration[];
  /** Rules with the same signature share their counts; the first one built decides the rest. */
  readonly signature: string;
  /** Equal only for rules that are equal in everything. */
  readonly identity: string;
  /** Whether pods with these labels, in one of the namespaces, count. */
  readonly matches: LabelMatcher;
}

/** What a pod's rules are made from. */
export interface RuleSource {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

export interface RuleContext {
  readonly namespaces: readonly Namespace[];
  /** Preferred terms and ScheduleAnyway constraints make rules too. */
  readonly respectPreferences: boolean;
}

const NO_SKEW_LIMIT = 2 ** 31 - 1;

/** The rules that decide where the pod may go, preferences included while they are respected. */
export function topologyRules(source: RuleSource, context: RuleContext): readonly TopologyRule[] {
  const { topologySpreadConstraints = [], affinity } = source.spec;
  const spread = topologySpreadConstraints.filter(
    (c) => context.respectPreferences || c.whenUnsatisfiable === 'DoNotSchedule',
  );
  const terms = (pods: typeof affinity extends undefined ? never : 'podAffinity' | 'podAntiAffinity') => {
    const rules = affinity?.[pods];
    const preferred = context.respectPreferences ? rules?.preferredDuringSchedulingIgnoredDuringExecution : undefined;
    return [
      ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(preferred ?? []).map((weighted) => weighted.podAffinityTerm),
    ];
  };
  return [
    ...spread.map((constraint) => spreadRule(source, constraint)),
    ...terms('podAffinity').map((term) => affinityRule('pod affinity', source, term, context)),
    ...terms('podAntiAffinity').map((term) => affinityRule('pod anti-affinity', source, term, context)),
  ];
}

/** The rules that keep other pods away from this one: required anti-affinity only. */
export function inverseRules(source: RuleSource, context: RuleContext): readonly TopologyRule[] {
  const required = source.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return required.map((term) => affinityRule('pod anti-affinity', source, term, context));
}

function spreadRule(source: RuleSource, constraint: TopologySpreadConstraint): TopologyRule {
  const { namespace, labels, spec } = source;
  const added = (constraint.matchLabelKeys ?? [])
    .map((key) => ({ key, value: ownValue(labels, key) }))
    .flatMap(({ key, value }) => (value === undefined ? [] : [{ key, operator: 'In' as const, values: [value] }]));
  const selector = constraint.labelSelector && {
    ...constraint.labelSelector,
    matchExpressions: [...(constraint.labelSelector.matchExpressions ?? []), ...added],
  };
  return rule({
    type: 'topology spread',
    key: constraint.topologyKey,
    maxSkew: constraint.maxSkew,
    minDomains: constraint.minDomains,
    namespaces: new Set([namespace]),
    selector,
    filter: nodeFilter(spec, constraint.nodeAffinityPolicy, constraint.nodeTaintsPolicy),
    tolerations: spec.tolerations ?? [],
  });
}

function affinityRule(
  type: TopologyType,
  source: RuleSource,
  term: PodAffinityTerm,
  context: RuleContext,
): TopologyRule {
  return rule({
    type,
    key: term.topologyKey,
    maxSkew: NO_SKEW_LIMIT,
    minDomains: undefined,
    namespaces: termNamespaces(source.namespace, term, context.namespaces),
    selector: term.labelSelector,
    filter: undefined,
    tolerations: source.spec.tolerations ?? [],
  });
}

function termNamespaces(own: string, term: PodAffinityTerm, all: readonly Namespace[]): ReadonlySet<string> {
  const { namespaces = [], namespaceSelector } = term;
  if (namespaces.length === 0 && !namespaceSelector) return new Set([own]);
  if (!namespaceSelector) return new Set(namespaces);
  const selected = all.filter(({ metadata }) => selects(namespaceSelector, metadata.labels));
  return new Set([...selected.map(({ metadata }) => metadata.name), ...namespaces]);
}

function rule(parts: Omit<TopologyRule, 'signature' | 'identity' | 'matches'>): TopologyRule {
  const { type, key, maxSkew, minDomains, filter, tolerations } = parts;
  const namespaces = [...parts.namespaces].sort();
  const selector = selectorSignature(parts.selector);
  const signature = JSON.stringify([key, type, namespaces, maxSkew, filter && filterSignature(filter), selector]);
  const exact = filter && [filter.alternatives.map(String), filter.honorAffinity, filter.honorTaints];
  return {
    ...parts,
    signature,
    identity: JSON.stringify([signature, minDomains ?? null, exact ?? null, tolerations, parts.selector ?? null]),
    matches: lenientMatcher(parts.selector),
  };
}

function selectorSignature(selector: LabelSelector | undefined): unknown {
  if (!selector) return null;
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values = [] }) =>
    JSON.stringify([key, operator, oddOnes(values)]),
  );
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return [[...new Set(expressions)].sort(), labels];
}
