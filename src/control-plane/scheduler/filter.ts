import type { ClusterView } from './cluster-cache.ts';
import type { NodeInfo } from './node-info.ts';
import type { PodInfo } from './pod-info.ts';

/** kube-scheduler's names of what can keep a pod off a node. */
export type PluginName =
  | 'NodeUnschedulable'
  | 'NodeName'
  | 'TaintToleration'
  | 'NodeAffinity'
  | 'NodePorts'
  | 'NodeResourcesFit'
  | 'VolumeRestrictions'
  | 'NodeVolumeLimits'
  | 'VolumeBinding'
  | 'VolumeZone'
  | 'PodTopologySpread'
  | 'InterPodAffinity';

/** Why a node won't do. */
export interface Rejection {
  readonly plugin: PluginName;
  /** In kube-scheduler's words; counted over nodes in the message. */
  readonly reasons: readonly string[];
  /** Whether removing pods from the node could help. */
  readonly resolvable: boolean;
}

export type NodeCheck = (node: NodeInfo) => Rejection | undefined;

/** What a filter says about a pod before it has seen any node. */
export type Prepared =
  /** Look at each node; `nodeNames` are the only ones worth looking at. */
  | { readonly check: NodeCheck; readonly nodeNames?: ReadonlySet<string> }
  /** No node will do. */
  | { readonly plugin: PluginName; readonly message: string };

export interface Filter {
  readonly plugin: PluginName;
  /** The check looks at more than the node it is given, so it is void when any pod moves. */
  readonly clusterWide: boolean;
  /** Undefined: nothing about this pod concerns the filter. */
  prepare(pod: PodInfo, view: ClusterView): Prepared | undefined;
}
