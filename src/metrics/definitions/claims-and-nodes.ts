import { exponentialBuckets, type MetricDefinitions } from './definition.ts';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const LIFETIMES = [
  ...[15, 30, 45].map((n) => n * MINUTE),
  ...[1, 2, 4, 6, 8, 10, 12, 16, 20].map((n) => n * HOUR),
  ...[1, 2, 3, 5, 10, 15, 20, 25, 30].map((n) => n * DAY),
];

/** Claims and nodes that come and go (karpenter-core.md 11.1). */
export const CLAIM_AND_NODE_METRICS = {
  nodeclaims_created_total: {
    type: 'counter',
    help: 'NodeClaims created, by why.',
    labels: ['reason', 'nodepool', 'min_values_relaxed'],
  },
  nodeclaims_terminated_total: {
    type: 'counter',
    help: 'NodeClaims that are gone.',
    labels: ['nodepool', 'capacity_type', 'zone'],
  },
  nodeclaims_disrupted_total: {
    type: 'counter',
    help: 'NodeClaims deleted by a controller, by why.',
    labels: ['reason', 'nodepool', 'capacity_type'],
  },
  nodeclaims_termination_duration_seconds: {
    type: 'histogram',
    help: 'From the deletion of a NodeClaim to its end.',
    labels: ['nodepool'],
    buckets: exponentialBuckets(1, 2, 12),
  },
  nodeclaims_instance_termination_duration_seconds: {
    type: 'histogram',
    help: 'From the request to end an instance until it is gone.',
    labels: ['nodepool'],
    buckets: exponentialBuckets(1, 2, 11),
  },
  nodeclaims_unhealthy_disrupted_total: {
    type: 'counter',
    help: 'NodeClaims deleted because their node was sick.',
    labels: ['condition', 'nodepool', 'capacity_type', 'image_id'],
  },
  nodes_created_total: { type: 'counter', help: 'Nodes that registered.', labels: ['nodepool', 'zone'] },
  nodes_terminated_total: { type: 'counter', help: 'Nodes that are gone.', labels: ['nodepool', 'zone'] },
  nodes_drained_total: { type: 'counter', help: 'Nodes that have been emptied.', labels: ['nodepool'] },
  nodes_termination_duration_seconds: {
    type: 'summary',
    help: 'From the deletion of a Node to its end.',
    labels: ['nodepool'],
  },
  nodes_lifetime_duration_seconds: {
    type: 'histogram',
    help: 'Age of a node when it goes.',
    labels: ['nodepool'],
    buckets: LIFETIMES,
  },
  pods_eviction_requests_total: { type: 'counter', help: 'Answers of the eviction API, by code.', labels: ['code'] },
  pods_drained_total: { type: 'counter', help: 'Pods evicted from nodes that go, by why.', labels: ['reason'] },
} satisfies MetricDefinitions;
