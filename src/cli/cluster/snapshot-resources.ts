import type { Resource } from '../../kube/client.ts';
import * as r from '../../kube/resources.ts';
import { NODE_CLASS_KINDS } from '../node-class-kinds.ts';

/** What a snapshot holds, in the order in which it could be created again. */
export const SNAPSHOT_RESOURCES: readonly Resource[] = [
  r.Namespaces,
  r.PriorityClasses,
  r.StorageClasses,
  ...NODE_CLASS_KINDS,
  r.NodePools,
  r.NodeOverlays,
  r.CapacityBuffers,
  r.PodTemplates,
  r.NodeClaims,
  r.Nodes,
  r.CSINodes,
  r.PersistentVolumes,
  r.PersistentVolumeClaims,
  r.VolumeAttachments,
  r.DaemonSets,
  r.Deployments,
  r.ReplicaSets,
  r.StatefulSets,
  r.Jobs,
  r.CronJobs,
  r.PodDisruptionBudgets,
  r.Pods,
  r.Events,
];
