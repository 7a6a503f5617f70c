import type { MetricDefinitions } from './definition.ts';

const MOVE = ['decision', 'nodepool', 'policy'];
const DECISION = ['decision', 'reason', 'consolidation_type'];

/** Voluntary disruption (karpenter-core.md 11.3). */
export const DISRUPTION_METRICS = {
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
} satisfies MetricDefinitions;
