import type { Node, Pod } from '../../kube/objects.ts';
import { selects } from '../../kube/selectors.ts';
import type { PluginName } from './filter.ts';

/** What happened in the cluster, as far as it could let a waiting pod in. */
export type ClusterChange =
  | 'node-added'
  | 'node-removed'
  | 'node-allocatable'
  | 'node-labels'
  | 'node-taints'
  | 'pod-placed'
  | 'pod-removed'
  | 'pod-labels'
  | 'volume'
  | 'namespace';

/** What each plugin waits for once it has refused a pod. */
const INTERESTS: Readonly<Record<PluginName, readonly ClusterChange[]>> = {
  NodeUnschedulable: ['node-added', 'node-taints'],
  NodeName: ['node-added'],
  TaintToleration: ['node-added', 'node-taints'],
  NodeAffinity: ['node-added', 'node-labels'],
  NodePorts: ['node-added', 'pod-removed'],
  NodeResourcesFit: ['node-added', 'node-allocatable', 'pod-removed'],
  VolumeRestrictions: ['pod-removed', 'volume'],
  NodeVolumeLimits: ['node-added', 'pod-removed', 'volume'],
  VolumeBinding: ['node-added', 'node-labels', 'volume'],
  VolumeZone: ['node-added', 'node-labels', 'volume'],
  PodTopologySpread: [
    'node-added',
    'node-removed',
    'node-labels',
    'node-taints',
    'pod-placed',
    'pod-removed',
    'pod-labels',
  ],
  InterPodAffinity: ['node-added', 'node-labels', 'pod-placed', 'pod-removed', 'pod-labels', 'namespace'],
};

/** Whether a change may help a pod that these plugins refused; a pod nobody refused waits for anything. */
export const mayHelp = (change: ClusterChange, plugins: ReadonlySet<PluginName>): boolean =>
  plugins.size === 0 || [...plugins].some((plugin) => INTERESTS[plugin].includes(change));

const differ = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

/** What changed on a node; heartbeats and conditions are nothing. */
export function nodeChanges(old: Node, node: Node): readonly ClusterChange[] {
  const changes: ClusterChange[] = [];
  if (differ(old.status?.allocatable, node.status?.allocatable)) changes.push('node-allocatable');
  if (differ(old.metadata.labels, node.metadata.labels)) changes.push('node-labels');
  if (differ(old.spec?.taints, node.spec?.taints) || old.spec?.unschedulable !== node.spec?.unschedulable) {
    changes.push('node-taints');
  }
  return changes;
}

/** Whether something about a waiting pod changed that scheduling looks at. Its status is not. */
export function podChanged(old: Pod, pod: Pod): boolean {
  return (
    differ(old.spec, pod.spec) ||
    differ(old.metadata.labels, pod.metadata.labels) ||
    differ(old.metadata.annotations, pod.metadata.annotations)
  );
}

/** Whether labels that selectors elsewhere may look for changed on a placed pod. */
export const podLabelsChanged = (old: Pod, pod: Pod): boolean => differ(old.metadata.labels, pod.metadata.labels);

/** Whether a pod names another one in a required affinity or spreading rule; cheap, and wide rather than narrow. */
export function mayConcern(waiting: Pod, other: Pod): boolean {
  const { affinity, topologySpreadConstraints = [] } = waiting.spec;
  const terms = [
    ...(affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...topologySpreadConstraints,
  ];
  if (terms.some(({ labelSelector }) => selects(labelSelector, other.metadata.labels))) return true;
  return other.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution !== undefined;
}
