import type { Pod } from '../../kube/objects.ts';
import { podLimits, podRequests } from '../../kube/pod-requests.ts';
import type { GaugeSeries, Series } from '../../metrics/metrics.ts';
import { nodeAllocatable } from '../../scheduling/existing-node.ts';
import { isOwnedByDaemonSet } from '../../scheduling/pod-lifecycle.ts';
import { addResources, subtractResources, toResources } from '../../scheduling/resource-list.ts';
import type { Resources } from '../../scheduling/resources.ts';
import { isManaged } from '../../scheduling/state-node.ts';
import type { ControllerContext } from '../context.ts';
import { perResource, shares } from './amounts.ts';
import { nodeMetricLabels } from './node-labels.ts';

type Deps = Pick<ControllerContext, 'cluster' | 'cloud' | 'clock'>;

const total = (pods: readonly Pod[], of: (pod: Pod) => Resources): Resources =>
  pods.reduce<Resources>((sum, pod) => addResources(sum, { ...of(pod), pods: 1000 }), {});
const limitsOf = (pod: Pod): Resources => podLimits(pod.spec);

/** What nodes can hold and hold now, and how old they are; claims without a node are left out (karpenter-core.md 11.4.26). */
export function nodeSeries({ cluster, cloud, clock }: Deps): GaugeSeries {
  const nodes_allocatable: Series[] = [];
  const nodes_total_pod_requests: Series[] = [];
  const nodes_total_pod_limits: Series[] = [];
  const nodes_total_daemon_requests: Series[] = [];
  const nodes_total_daemon_limits: Series[] = [];
  const nodes_system_overhead: Series[] = [];
  const nodes_current_lifetime_seconds: Series[] = [];
  let allAllocatable: Resources = {};
  let allRequests: Resources = {};
  for (const state of cluster.nodes()) {
    const { node } = state;
    if (!node) continue;
    const labels = nodeMetricLabels(cloud, node, isManaged(state));
    const pods = cluster.podsOn(node.metadata.name);
    const daemons = pods.filter(isOwnedByDaemonSet);
    const allocatable = toResources(node.status?.allocatable);
    const requests = total(pods, podRequests);
    nodes_allocatable.push(...perResource(labels, allocatable));
    nodes_total_pod_requests.push(...perResource(labels, requests));
    nodes_total_pod_limits.push(...perResource(labels, total(pods, limitsOf)));
    nodes_total_daemon_requests.push(...perResource(labels, total(daemons, podRequests)));
    nodes_total_daemon_limits.push(...perResource(labels, total(daemons, limitsOf)));
    const overhead = subtractResources(toResources(node.status?.capacity), allocatable);
    nodes_system_overhead.push(...perResource(labels, overhead));
    const age = clock.now() - Date.parse(node.metadata.creationTimestamp ?? '');
    nodes_current_lifetime_seconds.push({ labels, value: age / 1000 });
    allAllocatable = addResources(allAllocatable, nodeAllocatable(state));
    allRequests = addResources(allRequests, requests);
  }
  return {
    nodes_allocatable,
    nodes_total_pod_requests,
    nodes_total_pod_limits,
    nodes_total_daemon_requests,
    nodes_total_daemon_limits,
    nodes_system_overhead,
    nodes_current_lifetime_seconds,
    cluster_utilization_percent: shares(allRequests, allAllocatable),
  };
}
