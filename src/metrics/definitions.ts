/** Names are without the namespace `karpenter_` (karpenter-core.md section 11). */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets; upstream's standard ones for durations in seconds unless told. */
  readonly buckets?: readonly number[];
  /** Has a label for every well-known node label too (see `nodeLabelNames`). */
  readonly ofNodes?: true;
  /** The name stands without the namespace. */
  readonly bare?: true;
}

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const powersOfTwo = (count: number): number[] => Array.from({ length: count }, (_, i) => 2 ** i);
const LIFETIMES = [
  ...[15, 30, 45].map((n) => n * MINUTE),
  ...[1, 2, 4, 6, 8, 10, 12, 16, 20].map((n) => n * HOUR),
  ...[1, 2, 3, 5, 10, 15, 20, 25, 30].map((n) => n * DAY),
];

/** Standard buckets of upstream for durations in seconds. */
export const DURATION_BUCKETS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60, 90, 120, 180, 300, 600,
];

const MOVE = ['decision', 'nodepool', 'policy'];
const DECISION = ['decision', 'reason', 'consolidation_type'];

export const METRICS: Readonly<Record<string, MetricDefinition>> = {
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
    buckets: powersOfTwo(12),
  },
  nodeclaims_instance_termination_duration_seconds: {
    type: 'histogram',
    help: 'From the request to end an instance until it is gone.',
    labels: ['nodepool'],
    buckets: powersOfTwo(11),
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
  scheduler_scheduling_duration_seconds: {
    type: 'histogram',
    help: 'Time that one scheduling pass takes.',
    labels: ['controller'],
  },
  scheduler_unschedulable_pods_count: {
    type: 'gauge',
    help: 'Pods that the last pass found no place for.',
    labels: ['controller'],
  },
  scheduler_ignored_pods_count: { type: 'gauge', help: 'Pods that the last pass refused to look at.', labels: [] },
  pods_scheduling_decision_duration_seconds: {
    type: 'histogram',
    help: 'From the first pass that a pod was in until one has found a place for it, or none.',
    labels: [],
  },
  pods_provisioning_scheduling_undecided_time_seconds: {
    type: 'gauge',
    help: 'Since the first pass that a pod was in, while none has come to it.',
    labels: ['name', 'namespace'],
  },
  scheduler_queue_depth: {
    type: 'gauge',
    help: 'Pods that were still in the queue when the last pass ended.',
    labels: ['controller'],
  },
  cluster_state_node_count: { type: 'gauge', help: 'Nodes and launched claims in cluster state.', labels: [] },
  cluster_state_synced: { type: 'gauge', help: 'One when decisions may be taken, zero when not.', labels: [] },
  cluster_state_unsynced_time_seconds: {
    type: 'gauge',
    help: 'How long no decisions could be taken, up to now; zero when they can.',
    labels: [],
  },
  voluntary_disruption_decision_evaluation_duration_seconds: {
    type: 'histogram',
    help: 'Time that one disruption method takes to decide.',
    labels: ['reason', 'consolidation_type'],
  },
  voluntary_disruption_decisions_total: { type: 'counter', help: 'Disruption commands started.', labels: DECISION },
  voluntary_disruption_decisions_by_nodepool_total: {
    type: 'counter',
    help: 'Disruption commands started, for each pool they touch.',
    labels: [...DECISION, 'nodepool'],
  },
  voluntary_disruption_eligible_nodes: {
    type: 'gauge',
    help: 'Nodes that the last look found eligible for disruption.',
    labels: ['reason'],
  },
  voluntary_disruption_consolidation_timeouts_total: {
    type: 'counter',
    help: 'Times that consolidation ran out of time.',
    labels: ['consolidation_type'],
  },
  voluntary_disruption_failed_validations_total: {
    type: 'counter',
    help: 'Candidates of commands that did not hold on a second look.',
    labels: ['consolidation_type'],
  },
  voluntary_disruption_queue_failures_total: {
    type: 'counter',
    help: 'Replacements that did not come up for their command.',
    labels: DECISION,
  },
  consolidation_score: {
    type: 'histogram',
    help: 'Score of consolidations in pools of the policy Balanced.',
    labels: MOVE,
    buckets: [0.1, 0.25, 0.33, 0.5, 1, 2, 5, 10],
  },
  consolidation_moves_total: {
    type: 'counter',
    help: 'Consolidations that were possible, for each pool they touch.',
    labels: MOVE,
  },
  nodepools_allowed_disruptions: {
    type: 'gauge',
    help: 'Disruptions at once that the budgets allow now, those under way included.',
    labels: ['nodepool', 'reason'],
  },
  nodepools_nodes_consuming_budgets: {
    type: 'gauge',
    help: 'Nodes that use up budgets because they are not ready or going.',
    labels: ['nodepool', 'reason'],
  },
  nodes_allocatable: {
    type: 'gauge',
    help: 'What pods can use of the node.',
    labels: ['resource_type'],
    ofNodes: true,
  },
  nodes_total_pod_requests: {
    type: 'gauge',
    help: 'What the pods on the node ask for, daemons left out.',
    labels: ['resource_type'],
    ofNodes: true,
  },
  nodes_total_daemon_requests: {
    type: 'gauge',
    help: 'What the daemons on the node ask for.',
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
  pods_bound_duration_seconds: { type: 'histogram', help: 'From the creation of a pod until it is bound.', labels: [] },
  pods_startup_duration_seconds: {
    type: 'summary',
    help: 'From the creation of a pod until it is ready for the first time.',
    labels: [],
  },
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
  controller_runtime_reconcile_total: {
    type: 'counter',
    help: 'Reconciliations, by controller and result.',
    labels: ['controller', 'result'],
    bare: true,
  },
  controller_runtime_reconcile_errors_total: {
    type: 'counter',
    help: 'Reconciliations that failed, by controller.',
    labels: ['controller'],
    bare: true,
  },
  controller_runtime_reconcile_time_seconds: {
    type: 'histogram',
    help: 'Time that a reconciliation takes, by controller.',
    labels: ['controller'],
    bare: true,
  },
  nodepools_limit: { type: 'gauge', help: 'Limits of the pool.', labels: ['resource_type', 'nodepool'] },
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
  nodepools_usage: {
    type: 'gauge',
    help: 'What the nodes of the pool add up to.',
    labels: ['resource_type', 'nodepool'],
  },
};
