import { LABEL_ARCH, LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_NODEPOOL, LABEL_ZONE } from '../../apis/labels.ts';
import type { Pod } from '../../kube/objects.ts';
import { podRequests } from '../../kube/pod-requests.ts';
import { isReady } from '../../kube/pods.ts';
import { NodePools, Nodes, Pods } from '../../kube/resources.ts';
import type { Labels, Series } from '../../metrics/metrics.ts';
import { nodeAllocatable, nodeCapacity } from '../../scheduling/existing-node.ts';
import { isOwnedByDaemonSet } from '../../scheduling/pod-lifecycle.ts';
import { addResources, toResources } from '../../scheduling/resource-list.ts';
import type { Resources } from '../../scheduling/resources.ts';
import { stateNodeName } from '../../scheduling/state-node.ts';
import type { ControllerContext } from '../context.ts';
import { nodeMetricLabels } from './node-labels.ts';

type Deps = Pick<ControllerContext, 'cluster' | 'informers' | 'cloud' | 'clock' | 'costs'>;

/** Upstream's names for resources: `ephemeral-storage` → `ephemeral_storage`. */
const resourceType = (name: string): string => name.replaceAll(/[-./]/g, '_');

function perResource(labels: Labels, resources: Resources): Series[] {
  return Object.entries(resources).map(([name, amount]) => ({
    labels: { ...labels, resource_type: resourceType(name) },
    value: amount / 1000,
  }));
}

const sumOf = (pods: readonly Pod[]): Resources =>
  pods.reduce<Resources>((sum, pod) => addResources(sum, { ...podRequests(pod), pods: 1000 }), {});

/** Gauges that say how nodes, pools and pods are right now (karpenter-core.md 11.2, 11.4). */
export function clusterSeries(deps: Deps): Readonly<Record<string, Iterable<Series>>> {
  return { ...stateSeries(deps), ...nodeSeries(deps), ...poolSeries(deps), pods_state: podSeries(deps) };
}

function stateSeries({ cluster }: Deps) {
  return {
    cluster_state_node_count: [{ labels: {}, value: cluster.nodes().length }],
    cluster_state_synced: [{ labels: {}, value: cluster.synced ? 1 : 0 }],
    cluster_state_unsynced_time_seconds: [{ labels: {}, value: cluster.unsyncedFor / 1000 }],
  };
}

function nodeSeries({ cluster, cloud, clock }: Deps) {
  const series: Record<string, Series[]> = {
    nodes_allocatable: [],
    nodes_total_pod_requests: [],
    nodes_total_daemon_requests: [],
    nodes_system_overhead: [],
    nodes_current_lifetime_seconds: [],
  };
  let allAllocatable: Resources = {};
  let allRequests: Resources = {};
  for (const state of cluster.nodes()) {
    const labels = nodeMetricLabels(cloud, state);
    const pods = cluster.podsOn(stateNodeName(state));
    const allocatable = nodeAllocatable(state);
    const ofPods = sumOf(pods.filter((pod) => !isOwnedByDaemonSet(pod)));
    const ofDaemons = sumOf(pods.filter(isOwnedByDaemonSet));
    const capacity = nodeCapacity(state);
    const overhead = Object.fromEntries(
      Object.keys(allocatable).map((name) => [name, (capacity[name] ?? 0) - (allocatable[name] ?? 0)]),
    );
    series.nodes_allocatable?.push(...perResource(labels, allocatable));
    series.nodes_total_pod_requests?.push(...perResource(labels, ofPods));
    series.nodes_total_daemon_requests?.push(...perResource(labels, ofDaemons));
    series.nodes_system_overhead?.push(...perResource(labels, overhead));
    const created = Date.parse((state.node ?? state.nodeClaim)?.metadata.creationTimestamp ?? '');
    series.nodes_current_lifetime_seconds?.push({ labels, value: (clock.now() - created) / 1000 });
    allAllocatable = addResources(allAllocatable, allocatable);
    allRequests = addResources(allRequests, addResources(ofPods, ofDaemons));
  }
  const utilization = Object.entries(allAllocatable)
    .filter(([, amount]) => amount > 0)
    .map(([name, amount]) => ({
      labels: { resource_type: resourceType(name) },
      value: (100 * (allRequests[name] ?? 0)) / amount,
    }));
  return { ...series, cluster_utilization_percent: utilization };
}

function poolSeries({ cluster, informers, costs }: Deps) {
  const pools = informers.reader(NodePools).list();
  const claims = cluster.nodes().flatMap(({ nodeClaim }) => nodeClaim ?? []);
  return {
    nodepools_limit: pools.flatMap(({ metadata, spec }) =>
      perResource({ nodepool: metadata.name }, toResources(spec.limits)),
    ),
    nodepools_usage: pools.flatMap(({ metadata: { name } }) =>
      perResource({ nodepool: name }, cluster.poolResources(name)),
    ),
    nodepools_cost_total: pools.map(({ metadata: { name } }) => ({
      labels: { nodepool: name },
      value: claims
        .filter(({ metadata }) => metadata.labels?.[LABEL_NODEPOOL] === name)
        .reduce((sum, claim) => sum + (costs.priceOf(claim) ?? 0), 0),
    })),
  };
}

function podSeries({ informers }: Deps): Series[] {
  const nodes = informers.reader(Nodes);
  return informers
    .reader(Pods)
    .list()
    .map((pod) => {
      const { name, namespace = '', ownerReferences = [] } = pod.metadata;
      const node = pod.spec.nodeName ?? '';
      const labels = nodes.get(node)?.metadata.labels ?? {};
      const [owner] = ownerReferences;
      return {
        value: 1,
        labels: {
          name,
          namespace,
          owner: owner
            ? `/apis/${owner.apiVersion}/namespaces/${namespace}/${owner.kind.toLowerCase()}s/${owner.name}`
            : '',
          node,
          nodepool: labels[LABEL_NODEPOOL] ?? '',
          zone: labels[LABEL_ZONE] ?? '',
          arch: labels[LABEL_ARCH] ?? '',
          capacity_type: labels[LABEL_CAPACITY_TYPE] ?? '',
          instance_type: labels[LABEL_INSTANCE_TYPE] ?? '',
          phase: pod.status?.phase ?? '',
          scheduled: String(node !== ''),
          ready: String(isReady(pod)),
          managed: String(labels[LABEL_NODEPOOL] !== undefined),
        },
      };
    });
}
