import { DURATION_BUCKETS, exponentialBuckets, type MetricDefinitions } from './definition.ts';

const BY_CONTROLLER = { labels: ['controller'], bare: true } as const;
const BY_QUEUE = { labels: ['name', 'controller'], bare: true } as const;
const ONE_MINUTE = 60;
/** From 10 nanoseconds on. */
const QUEUE_BUCKETS = exponentialBuckets(1e-8, 10, 12);

/** The program, its queues and its requests (karpenter-core.md 11.1.1, 11.7). */
export const FRAMEWORK_METRICS = {
  build_info: {
    type: 'gauge',
    help: 'Always one; the labels tell which program this is. What runs it is named in goversion.',
    labels: ['version', 'goversion', 'goarch', 'commit'],
  },
  client_go_request_duration_seconds: {
    type: 'histogram',
    help: 'Time that a request to the API takes, retries included.',
    labels: ['verb', 'group', 'version', 'kind', 'subresource'],
    buckets: exponentialBuckets(0.001, 1.5, 20),
    bare: true,
  },
  client_go_request_total: {
    type: 'counter',
    help: 'Answers of the API, by HTTP status and method.',
    labels: ['code', 'method'],
    bare: true,
  },
  leader_election_master_status: {
    type: 'gauge',
    help: 'One while this program holds the lease, zero while another does.',
    labels: ['name'],
    bare: true,
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
    ...BY_CONTROLLER,
  },
  controller_runtime_reconcile_time_seconds: {
    type: 'histogram',
    help: 'Time that a reconciliation takes, by controller.',
    ...BY_CONTROLLER,
    buckets: DURATION_BUCKETS.filter((bound) => bound <= ONE_MINUTE),
  },
  controller_runtime_max_concurrent_reconciles: {
    type: 'gauge',
    help: 'Reconciliations that a controller does at the same time at most.',
    ...BY_CONTROLLER,
  },
  controller_runtime_active_workers: {
    type: 'gauge',
    help: 'Reconciliations that a controller is at now.',
    ...BY_CONTROLLER,
  },
  workqueue_depth: {
    type: 'gauge',
    help: 'Keys that wait in a queue now.',
    labels: ['name', 'controller', 'priority'],
    bare: true,
  },
  workqueue_adds_total: { type: 'counter', help: 'Keys that came into a queue.', ...BY_QUEUE },
  workqueue_queue_duration_seconds: {
    type: 'histogram',
    help: 'Time that a key waits in a queue.',
    ...BY_QUEUE,
    buckets: QUEUE_BUCKETS,
  },
  workqueue_work_duration_seconds: {
    type: 'histogram',
    help: 'Time that the work on a key takes.',
    ...BY_QUEUE,
    buckets: QUEUE_BUCKETS,
  },
  workqueue_unfinished_work_seconds: {
    type: 'gauge',
    help: 'Time spent so far on the keys that are being worked on, summed up.',
    ...BY_QUEUE,
  },
  workqueue_longest_running_processor_seconds: {
    type: 'gauge',
    help: 'Time spent so far on the key that has been worked on longest.',
    ...BY_QUEUE,
  },
  workqueue_retries_total: {
    type: 'counter',
    help: 'Keys that a queue was given back to try again later.',
    ...BY_QUEUE,
  },
} satisfies MetricDefinitions;
