import { ownValue, valueSatisfies } from './label-requirement.ts';
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from './objects.ts';

/** What node selectors look at: any object with a name and labels. */
export interface SelectableNode {
  readonly metadata: Pick<Node['metadata'], 'name' | 'labels'>;
}

/** Whether the node has what the pod's nodeSelector and required node affinity ask for. */
export function matchesNode(spec: Pick<PodSpec, 'nodeSelector' | 'affinity'>, node: SelectableNode): boolean {
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(spec.nodeSelector ?? {});
  if (!selector.every(([key, value]) => labels[key] === value)) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeSelector(required.nodeSelectorTerms, node);
}

/** Terms are alternatives; a term that asks for nothing matches nothing. */
export function matchesNodeSelector(terms: readonly NodeSelectorTerm[], node: SelectableNode): boolean {
  return terms.some((term) => matchesTerm(term, node));
}

export function matchesTerm(term: NodeSelectorTerm, node: SelectableNode): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return false;
  const { name, labels } = node.metadata;
  const satisfies = ({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean =>
    valueSatisfies(value, operator, values);
  return (
    expressions.every((expression) => satisfies(expression, ownValue(labels, expression.key))) &&
    fields.every((field) => satisfies(field, field.key === 'metadata.name' ? name : undefined))
  );
}
