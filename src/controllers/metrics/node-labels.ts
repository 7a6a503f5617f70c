import { WELL_KNOWN_LABELS } from '../../apis/labels.ts';
import type { CloudProvider } from '../../cloudprovider/types.ts';
import type { Node } from '../../kube/objects.ts';
import type { Labels } from '../../metrics/metrics.ts';
import { nodeClassLabel } from '../managed.ts';

type Provider = Pick<CloudProvider, 'wellKnownLabels'>;

/** `topology.kubernetes.io/zone` → `zone`, `karpenter.sh/capacity-type` → `capacity_type`. */
const metricName = (label: string): string =>
  label
    .slice(label.indexOf('/') + 1)
    .toLowerCase()
    .replaceAll('-', '_');

const wellKnown = (cloud: Provider): readonly string[] =>
  [...new Set([...WELL_KNOWN_LABELS, ...cloud.wellKnownLabels])].filter((label) => label.split('/').length === 2);

/** Names of the labels that metrics about nodes have: fixed once the provider is known (karpenter-core.md 11.4.26). */
export function nodeLabelNames(cloud: Provider): readonly string[] {
  return ['node_name', 'phase', 'managed', ...wellKnown(cloud).map(metricName)];
}

/**
 * Those labels of one node; empty where the node lacks one.
 *
 * @param managed it has a claim.
 */
export function nodeMetricLabels(cloud: Provider, { metadata, status }: Node, managed: boolean): Labels {
  const { name, labels = {} } = metadata;
  return {
    ...Object.fromEntries(wellKnown(cloud).map((label) => [metricName(label), labels[label] ?? ''])),
    node_name: name,
    phase: status?.phase ?? '',
    managed: String(managed),
  };
}

/** A label of an object as the metrics about its conditions name it: `karpenter.sh/nodepool` → `karpenter_sh_nodepool`. */
export const statusLabelName = (label: string): string => label.replaceAll(/[-./]/g, '_');

/** Keys of the labels that name the node class, one for every kind that the provider supports. */
export function nodeClassLabels(cloud: Pick<CloudProvider, 'supportedNodeClasses'>): readonly string[] {
  return cloud.supportedNodeClasses().map(nodeClassLabel);
}

/** The same as names of metric labels (karpenter-core.md 11.6.30). */
export function nodeClassLabelNames(cloud: Pick<CloudProvider, 'supportedNodeClasses'>): readonly string[] {
  return nodeClassLabels(cloud).map(statusLabelName);
}
