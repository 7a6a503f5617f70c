import type { MetricDefinitions } from './definition.ts';

/** How nodes and pools are now (karpenter-core.md 11.4.26 to 11.4.28). */
export const CLUSTER_METRICS = {
  nodes_allocatable: {
    type: 'gauge',
    help: 'What pods can use of the node.',
    labels: ['resource_type'],
    ofNodes: true,
  },
  nodes_total_pod_requests: {
    type: 'gauge',
    help: 'What the pods on the node ask for, daemons included.',
    labels: ['resource_type'],
    ofNodes: true,
  },
  nodes_total_pod_limits: {
    type: 'gauge',
    help: 'What the pods on the node are limited to, daemons included.',
    labels: ['resource_type'],
    ofNodes: true,
  },
  nodes_total_daemon_requests: {
    type: 'gauge',
    help: 'What the daemons on the node ask for.',
    labels: ['resource_type'],
    ofNodes: true,
  },
  nodes_total_daemon_limits: {
    type: 'gauge',
    help: 'What the daemons on the node are limited to.',
    labels: ['resource_type'],
    ofNodes: true,
  },
  nodes_system_overhead: {
    type: 'gauge',
    help: 'Capacity of the node that pods can not use.',
    labels: ['resource_type'],
    ofNodes: true,
  },
  nodes_current_lifetime_seconds: { type: 'gauge', help: 'Age of the node.', labels: [], ofNodes: true },
  cluster_utilization_percent: {
    type: 'gauge',
    help: 'Share of what is allocatable that pods ask for.',
    labels: ['resource_type'],
  },
  nodepools_limit: { type: 'gauge', help: 'Limits of the pool.', labels: ['resource_type', 'nodepool'] },
  nodepools_usage: {
    type: 'gauge',
    help: 'What the nodes of the pool add up to.',
    labels: ['resource_type', 'nodepool'],
  },
  nodepools_cost_total: {
    type: 'gauge',
    help: 'What the nodes of the pool cost per hour, by the prices last heard of.',
    labels: ['nodepool'],
  },
  nodepools_cost_tracker_errors_total: {
    type: 'counter',
    help: 'Times that the prices of a pool could not be had.',
    labels: ['nodepool'],
  },
} satisfies MetricDefinitions;
