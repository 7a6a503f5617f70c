import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from './objects.ts';

/** Whether the node has what the pod's nodeSelector and required node affinity ask for. */
export function matchesNode(spec: Pick<PodSpec, 'nodeSelector' | 'affinity'>, node: Node): boolean {
  const labels = node.metadata.labels ?? {};
  const selector = Object.entries(spec.nodeSelector ?? {});
  if (!selector.every(([key, value]) => labels[key] === value)) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeSelector(required.nodeSelectorTerms, node);
}

/** Terms are alternatives; a term that asks for nothing matches nothing. */
export function matchesNodeSelector(terms: readonly NodeSelectorTerm[], node: Node): boolean {
  return terms.some((term) => matchesTerm(term, node));
}

export function matchesTerm(term: NodeSelectorTerm, node: Node): boolean {
  const expressions = term.matchExpressions ?? [];
  const fields = term.matchFields ?? [];
  if (expressions.length === 0 && fields.length === 0) return false;
  const labels = node.metadata.labels ?? {};
  return (
    expressions.every((expression) => matchesRequirement(expression, labels[expression.key])) &&
    fields.every((field) => matchesRequirement(field, field.key === 'metadata.name' ? node.metadata.name : undefined))
  );
}

function matchesRequirement({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return isInteger(value) && isInteger(values[0]) && Number(value) > Number(values[0]);
    case 'Lt':
      return isInteger(value) && isInteger(values[0]) && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

function isInteger(text: string | undefined): boolean {
  return text !== undefined && /^[+-]?\d+$/.test(text);
}
