import { LABEL_INITIALIZED, LABEL_INSTANCE_TYPE, LABEL_NODEPOOL } from '../apis/labels.ts';
import type { Node } from '../kube/objects.ts';

/**
 * The id under which a node is joined with its claim: the provider's, or the name of a node that is not ours. Undefined while
 * a node of ours does not say what it is: a later event will (karpenter-core.md 8.2).
 */
export function nodeId({ metadata, spec }: Node): string | undefined {
  const labels = metadata.labels ?? {};
  const managed = Boolean(labels[LABEL_NODEPOOL]);
  if (managed && !labels[LABEL_INSTANCE_TYPE] && !labels[LABEL_INITIALIZED]) return undefined;
  return spec?.providerID || (managed ? undefined : metadata.name);
}
