import type { MetricDefinitions } from './definition.ts';

const NAMED = ['name', 'namespace'];

/** How long pods wait, and how they are now (karpenter-core.md 11.2.15, 11.4.23 to 11.4.25). */
export const POD_METRICS = {
  pods_state: {
    type: 'gauge',
    help: 'One for every pod, with where and how it is.',
    labels: [
      'name',
      'namespace',
      'owner',
      'node',
      'nodepool',
      'zone',
      'arch',
      'capacity_type',
      'instance_type',
      'phase',
      'scheduled',
      'ready',
      'managed',
    ],
  },
  pods_startup_duration_seconds: {
    type: 'summary',
    help: 'From the creation of a pod until it is ready for the first time.',
    labels: [],
  },
  pods_unstarted_time_seconds: {
    type: 'gauge',
    help: 'Since the creation of a pod that has not been ready yet.',
    labels: NAMED,
  },
  pods_bound_duration_seconds: { type: 'histogram', help: 'From the creation of a pod until it is bound.', labels: [] },
  pods_unbound_time_seconds: {
    type: 'gauge',
    help: 'Since the creation of a pod that is not bound yet.',
    labels: NAMED,
  },
  pods_provisioning_bound_duration_seconds: {
    type: 'histogram',
    help: 'From the first pass that found a place for a pod until it is bound.',
    labels: [],
  },
  pods_provisioning_unbound_time_seconds: {
    type: 'gauge',
    help: 'Since the first pass that found a place for a pod that is not bound yet.',
    labels: NAMED,
  },
  pods_provisioning_startup_duration_seconds: {
    type: 'histogram',
    help: 'From the first pass that found a place for a pod until it is ready for the first time.',
    labels: [],
  },
  pods_provisioning_unstarted_time_seconds: {
    type: 'gauge',
    help: 'Since the first pass that found a place for a pod that has not been ready yet.',
    labels: NAMED,
  },
  pods_scheduling_decision_duration_seconds: {
    type: 'histogram',
    help: 'From when a waiting pod was first seen until a pass has found a place for it, or none.',
    labels: [],
  },
  pods_provisioning_scheduling_undecided_time_seconds: {
    type: 'gauge',
    help: 'Since a waiting pod was first seen, while no pass has found a place for it, or none.',
    labels: NAMED,
  },
} satisfies MetricDefinitions;
