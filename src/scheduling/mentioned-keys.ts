import { normalizedLabel } from '../apis/normalized-labels.ts';
import type { LabelSelector, PodAffinity, PodSpec } from '../kube/objects.ts';

/** Label keys that pods ask about: of other pods, and of nodes. What nobody mentions can't decide anything. */
export class MentionedKeys {
  /** Of pods. */
  readonly selectors = new Set<string>();
  /** Of nodes. */
  readonly nodes = new Set<string>();

  /** True when the pod mentions something new. */
  add(spec: PodSpec): boolean {
    const before = this.selectors.size + this.nodes.size;
    for (const key in spec.nodeSelector) this.addNodeKey(key);
    for (const constraint of spec.topologySpreadConstraints ?? []) {
      this.addNodeKey(constraint.topologyKey);
      this.#addSelector(constraint.labelSelector);
      for (const key of constraint.matchLabelKeys ?? []) this.selectors.add(key);
    }
    if (spec.affinity) this.#addAffinity(spec);
    return this.selectors.size + this.nodes.size > before;
  }

  addNodeKey(key: string): void {
    this.nodes.add(key);
    this.nodes.add(normalizedLabel(key));
  }

  #addAffinity({ affinity }: PodSpec): void {
    const node = affinity?.nodeAffinity;
    const terms = [
      ...(node?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []),
      ...(node?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((weighted) => weighted.preference),
    ];
    for (const term of terms) for (const { key } of term.matchExpressions ?? []) this.addNodeKey(key);
    this.#addTerms(affinity?.podAffinity);
    this.#addTerms(affinity?.podAntiAffinity);
  }

  #addTerms(rules: PodAffinity | undefined): void {
    const terms = [
      ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((weighted) => weighted.podAffinityTerm),
    ];
    for (const term of terms) {
      this.addNodeKey(term.topologyKey);
      this.#addSelector(term.labelSelector);
    }
  }

  #addSelector(selector: LabelSelector | undefined): void {
    for (const key in selector?.matchLabels) this.selectors.add(key);
    for (const { key } of selector?.matchExpressions ?? []) this.selectors.add(key);
  }
}
