import type { PodShape } from './pod-shape.ts';
import type { TopologyRule } from './topology-rule.ts';

/** Which pods a rule selects, asked once per rule and set of labels: a cluster has few of those. Kept for all runs. */
export class Selections {
  readonly #byRule = new Map<TopologyRule, Map<number, boolean>>();

  selects(rule: TopologyRule, { labelsId, namespace, labels }: PodShape): boolean {
    let byLabels = this.#byRule.get(rule);
    if (!byLabels) {
      byLabels = new Map();
      this.#byRule.set(rule, byLabels);
    }
    let selected = byLabels.get(labelsId);
    if (selected === undefined) {
      selected = rule.namespaces.has(namespace) && rule.matches(labels);
      byLabels.set(labelsId, selected);
    }
    return selected;
  }
}
