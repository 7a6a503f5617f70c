import type { MetricDefinitions } from './definition.ts';

/** Scheduling passes, and whether there may be any (karpenter-core.md 11.2). */
export const SCHEDULING_METRICS = {
  scheduler_scheduling_duration_seconds: {
    type: 'histogram',
    help: 'Time that one scheduling pass takes.',
    labels: ['controller'],
  },
  scheduler_queue_depth: {
    type: 'gauge',
    help: 'Pods that were still in the queue when the last pass ended.',
    labels: ['controller', 'scheduling_id'],
  },
  scheduler_unfinished_work_seconds: {
    type: 'gauge',
    help: 'How long the pass under way has taken so far.',
    labels: ['controller', 'scheduling_id'],
  },
  scheduler_ignored_pods_count: { type: 'gauge', help: 'Pods that the last pass refused to look at.', labels: [] },
  scheduler_unschedulable_pods_count: {
    type: 'gauge',
    help: 'Pods that the last pass found no place for.',
    labels: ['controller'],
  },
  scheduler_pending_pods_by_effective_zone_count: {
    type: 'gauge',
    help: 'Pending pods of the last pass by the zone they are bound to: a zone, "flexible" when several will do, "none" when none will.',
    labels: ['controller', 'zone'],
  },
  cluster_state_node_count: { type: 'gauge', help: 'Nodes and launched claims in cluster state.', labels: [] },
  cluster_state_synced: { type: 'gauge', help: 'One when decisions may be taken, zero when not.', labels: [] },
  cluster_state_unsynced_time_seconds: {
    type: 'gauge',
    help: 'How long no decisions could be taken, up to now; zero when they can.',
    labels: [],
  },
} satisfies MetricDefinitions;
