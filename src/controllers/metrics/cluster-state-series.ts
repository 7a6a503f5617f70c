import type { GaugeSeries } from '../../metrics/metrics.ts';
import type { Cluster } from '../../state/cluster.ts';

/** Whether decisions may be taken, and on how many nodes (karpenter-core.md 11.2.14). */
export function clusterStateSeries(cluster: Cluster): GaugeSeries {
  const alone = (value: number) => [{ labels: {}, value }];
  return {
    cluster_state_node_count: alone(cluster.nodes().length),
    cluster_state_synced: alone(cluster.synced ? 1 : 0),
    cluster_state_unsynced_time_seconds: alone(cluster.unsyncedFor / 1000),
  };
}
