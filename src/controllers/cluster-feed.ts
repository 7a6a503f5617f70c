import type { CloudProvider } from '../cloudprovider/types.ts';
import type { Informers } from '../kube/informers.ts';
import { NodeClaims, NodePools, Nodes, Pods } from '../kube/resources.ts';
import type { Cluster } from '../state/cluster.ts';
import { isManagedClaim } from './managed.ts';

export interface ClusterFeedDeps {
  readonly informers: Informers;
  readonly cluster: Cluster;
  readonly cloud: Pick<CloudProvider, 'supportedNodeClasses'>;
}

/**
 * Keeps the picture of the cluster up to date from the watches (upstream's state informers). To be connected before any
 * controller, so that each of them finds the picture as new as the object it was woken for.
 */
export function feedCluster({ informers, cluster, cloud }: ClusterFeedDeps): void {
  informers.for(NodeClaims).onChange(({ type, object }) => {
    if (!isManagedClaim(cloud, object)) return;
    if (type === 'Deleted') cluster.deleteNodeClaim(object.metadata.name);
    else cluster.updateNodeClaim(object);
  });
  informers.for(Nodes).onChange(({ type, object }) => {
    if (type === 'Deleted') cluster.deleteNode(object.metadata.name);
    else cluster.updateNode(object);
  });
  informers.for(Pods).onChange(({ type, object }) => {
    if (type === 'Deleted') cluster.deletePod(object);
    else cluster.updatePod(object);
  });
  informers.for(NodePools).onChange((change) => {
    if (change.type !== 'Updated' || change.object.metadata.generation !== change.old.metadata.generation) {
      cluster.markUnconsolidated();
    }
  });
}
