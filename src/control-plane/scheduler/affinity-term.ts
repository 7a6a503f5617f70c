import type { Labels } from '../../kube/label-requirement.ts';
import type { LabelSelector, PodAffinityTerm } from '../../kube/objects.ts';
import { type LabelMatcher, labelMatcher, SelectorError } from '../../kube/selectors.ts';

/** Labels of a namespace; undefined where it is not known. */
export type NamespaceLabels = (namespace: string) => Labels | undefined;

/** Who a term is about: pods by their labels, in namespaces given by name or by label. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly weight: number;
  selects(pod: { readonly namespace: string; readonly labels: Labels }, namespaceLabels: NamespaceLabels): boolean;
}

/** A selector that the API let through but that can't be read selects nothing. */
function safeMatcher(selector: LabelSelector | undefined): LabelMatcher {
  try {
    return labelMatcher(selector);
  } catch (error) {
    if (error instanceof SelectorError) return () => false;
    throw error;
  }
}

/** The term's selector narrowed by the owner's own values of matchLabelKeys (KEP-3633). */
function mergedSelector(term: PodAffinityTerm, owner: Labels): LabelSelector | undefined {
  const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  if (labelSelector === undefined) return undefined;
  const own = (keys: readonly string[], operator: 'In' | 'NotIn') =>
    keys.flatMap((key) => (owner[key] === undefined ? [] : [{ key, operator, values: [owner[key]] }]));
  const added = [...own(matchLabelKeys, 'In'), ...own(mismatchLabelKeys, 'NotIn')];
  if (added.length === 0) return labelSelector;
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added] };
}

/** Reads one term of a pod with the given namespace and labels. */
export function affinityTerm(
  term: PodAffinityTerm,
  owner: { readonly namespace: string; readonly labels: Labels },
  weight = 1,
): AffinityTerm {
  const pods = safeMatcher(mergedSelector(term, owner.labels));
  const named = new Set(term.namespaces ?? []);
  if (named.size === 0 && term.namespaceSelector === undefined) named.add(owner.namespace);
  const selector = term.namespaceSelector;
  const everywhere = selector !== undefined && !selector.matchLabels && !selector.matchExpressions?.length;
  const byLabels = selector === undefined ? () => false : safeMatcher(selector);
  return {
    topologyKey: term.topologyKey,
    weight,
    selects: ({ namespace, labels }, namespaceLabels) =>
      (everywhere || named.has(namespace) || byLabels(namespaceLabels(namespace) ?? {})) && pods(labels),
  };
}
