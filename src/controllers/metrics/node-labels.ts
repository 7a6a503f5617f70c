import { WELL_KNOWN_LABELS } from '../../apis/labels.ts';
import type { CloudProvider } from '../../cloudprovider/types.ts';
import type { Labels } from '../../metrics/metrics.ts';
import { nodeLabels, stateNodeName } from '../../scheduling/state-node.ts';
import type { StateNode } from '../../scheduling/types.ts';

type Provider = Pick<CloudProvider, 'wellKnownLabels'>;

/** `topology.kubernetes.io/zone` → `zone`, `karpenter.sh/capacity-type` → `capacity_type`. */
const metricName = (label: string): string => label.slice(label.indexOf('/') + 1).replaceAll(/[-.]/g, '_');

const wellKnown = (cloud: Provider): readonly string[] => [
  ...new Set([...WELL_KNOWN_LABELS, ...cloud.wellKnownLabels]),
];

/** Names of the labels that metrics about nodes have: fixed once the provider is known. */
export function nodeLabelNames(cloud: Provider): readonly string[] {
  return ['node_name', 'phase', 'managed', ...wellKnown(cloud).map(metricName)];
}

/** Those labels of one node; empty where the node lacks one. */
export function nodeMetricLabels(cloud: Provider, state: StateNode): Labels {
  const labels = nodeLabels(state);
  return {
    ...Object.fromEntries(wellKnown(cloud).map((label) => [metricName(label), labels[label] ?? ''])),
    node_name: stateNodeName(state),
    phase: state.node?.status?.phase ?? '',
    managed: String(state.nodeClaim !== undefined),
  };
}
