import type { Node, Pod } from '../../kube/objects.ts';
import { selects } from '../../kube/selectors.ts';
import type { PluginName } from './filter.ts';

/** What happened in the cluster, as far as it could let a waiting pod in. */
export type ClusterChange =
  /** A node came, or changed in a way that may make it fit. */
  | 'node'
  /** The labels or taints by which nodes form topology domains are others now. */
  | 'domains'
  | 'pod-placed'
  | 'pod-removed'
  | 'pod-labels'
  | 'volume'
  | 'namespace';

/** What each plugin waits for once it has refused a pod. */
const INTERESTS: Readonly<Record<PluginName, readonly ClusterChange[]>> = {
  NodeUnschedulable: ['node'],
  NodeName: ['node'],
  TaintToleration: ['node'],
  NodeAffinity: ['node'],
  NodePorts: ['node', 'pod-removed'],
  NodeResourcesFit: ['node', 'pod-removed'],
  VolumeRestrictions: ['pod-removed', 'volume'],
  NodeVolumeLimits: ['node', 'pod-removed', 'volume'],
  VolumeBinding: ['node', 'volume'],
  VolumeZone: ['node', 'volume'],
  PodTopologySpread: ['node', 'domains', 'pod-placed', 'pod-removed', 'pod-labels'],
  InterPodAffinity: ['node', 'pod-placed', 'pod-removed', 'pod-labels', 'namespace'],
};

/** Whether a change may help a pod that these plugins refused; a pod nobody refused waits for anything. */
export const mayHelp = (change: ClusterChange, plugins: ReadonlySet<PluginName>): boolean =>
  plugins.size === 0 || [...plugins].some((plugin) => INTERESTS[plugin].includes(change));

const differ = (a: unknown, b: unknown): boolean => JSON.stringify(a) !== JSON.stringify(b);

/** What a change of a node means for those who wait; heartbeats and conditions mean nothing. */
export function nodeChanges(old: Node, node: Node): readonly ClusterChange[] {
  const domains =
    differ(old.metadata.labels, node.metadata.labels) ||
    differ(old.spec?.taints, node.spec?.taints) ||
    old.spec?.unschedulable !== node.spec?.unschedulable;
  if (domains) return ['node', 'domains'];
  return differ(old.status?.allocatable, node.status?.allocatable) ? ['node'] : [];
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
