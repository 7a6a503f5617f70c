import type { PodSpec, Taint, Toleration } from '../kube/objects.ts';
import { Requirements } from './requirements.ts';
import { toleratesAll } from './taints.ts';

/** Which nodes count for a spread constraint (karpenter-core.md 4.11.5; upstream's topologynodefilter.go). */
export interface NodeFilter {
  /** Any of these, when `affinity` is honoured. */
  readonly alternatives: readonly Requirements[];
  readonly honorAffinity: boolean;
  readonly honorTaints: boolean;
  readonly tolerations: readonly Toleration[];
}

export function nodeFilter(spec: PodSpec, affinityPolicy = 'Honor', taintsPolicy = 'Ignore'): NodeFilter {
  const selector = Requirements.fromLabels(spec.nodeSelector);
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const alternatives = required
    ? required.nodeSelectorTerms.map((term) => {
        const both = selector.copy();
        both.addAll(Requirements.fromItems(term.matchExpressions ?? []));
        return both;
      })
    : [selector];
  return {
    alternatives,
    honorAffinity: affinityPolicy === 'Honor',
    honorTaints: taintsPolicy === 'Honor',
    tolerations: spec.tolerations ?? [],
  };
}

/** Keys that the node leaves undefined are not forgiven, even on a new node. */
export function filterMatches(filter: NodeFilter, taints: readonly Taint[], node: Requirements): boolean {
  if (filter.honorAffinity && filter.alternatives.length > 0) {
    if (!filter.alternatives.some((alternative) => node.compatible(alternative))) return false;
  }
  return !filter.honorTaints || toleratesAll(taints, filter.tolerations);
}

/**
 * What of a filter makes two constraints share their counts: the keys asked for, not the values, as in upstream, whose hash
 * doesn't reach the values. A repeated element cancels itself out there, and so it does here.
 */
export function filterSignature(filter: NodeFilter): unknown {
  return [
    oddOnes(filter.alternatives.map((r) => [...r.keys()].sort().join(','))),
    filter.honorAffinity,
    filter.honorTaints,
    oddOnes(
      filter.tolerations.map(({ key = '', operator = '', value = '', effect = '', tolerationSeconds }) =>
        JSON.stringify([key, operator, value, effect, tolerationSeconds ?? null]),
      ),
    ),
  ];
}

/** The texts that occur an odd number of times, sorted. */
export function oddOnes(texts: readonly string[]): string[] {
  const odd = new Set<string>();
  for (const text of texts) if (!odd.delete(text)) odd.add(text);
  return [...odd].sort();
}
