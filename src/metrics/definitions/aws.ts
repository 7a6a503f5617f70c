import { exponentialBuckets, type MetricDefinition, type MetricDefinitions } from './definition.ts';

const OFFERING = ['instance_type', 'capacity_type', 'zone'];
const REQUEST = ['service', 'action', 'code'];
const LATENCIES = exponentialBuckets(0.01, 1.5, 20);
const BATCH_SIZES = [
  ...[1, 2, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100, 125, 150, 175, 200],
  ...[225, 250, 275, 300, 350, 400, 450, 500, 550, 600, 700, 800, 900, 1000],
];

const DEFINITIONS = {
  cloudprovider_instance_type_cpu_cores: {
    type: 'gauge',
    help: 'Virtual processors of an instance type.',
    labels: ['instance_type'],
  },
  cloudprovider_instance_type_memory_bytes: {
    type: 'gauge',
    help: 'Memory of an instance type.',
    labels: ['instance_type'],
  },
  cloudprovider_instance_type_offering_available: {
    type: 'gauge',
    help: 'One while an offering can be bought, else zero.',
    labels: OFFERING,
  },
  cloudprovider_instance_type_offering_price_estimate: {
    type: 'gauge',
    help: 'What an offering costs per hour, as far as known.',
    labels: OFFERING,
  },
  cloudprovider_instance_launch_failures_total: {
    type: 'counter',
    help: 'Offerings that a fleet request could not launch, by why.',
    labels: ['zone', 'zone_id', 'capacity_type', 'reason'],
  },
  cloudprovider_instance_termination_failures_total: {
    type: 'counter',
    help: 'Requests to terminate an instance that failed.',
    labels: ['zone', 'zone_id'],
  },
  cloudprovider_batcher_batch_size: {
    type: 'histogram',
    help: 'Requests that were sent as one.',
    labels: ['batcher'],
    buckets: BATCH_SIZES,
  },
  cloudprovider_batcher_batch_time_seconds: {
    type: 'histogram',
    help: 'How long requests were gathered.',
    labels: ['batcher'],
  },
  cloudprovider_duration_seconds: {
    type: 'histogram',
    help: 'How long a call of the cloud provider took.',
    labels: ['controller', 'method', 'provider'],
  },
  cloudprovider_errors_total: {
    type: 'counter',
    help: 'Calls of the cloud provider that failed.',
    labels: ['controller', 'method', 'provider', 'error'],
  },
  ec2nodeclasses_userdata_bytes: {
    type: 'gauge',
    help: 'User data that a node class gave last, before its base64.',
    labels: ['nodeclass'],
  },
  interruption_received_messages_total: {
    type: 'counter',
    help: 'Messages taken off the interruption queue.',
    labels: ['message_type'],
  },
  interruption_deleted_messages_total: {
    type: 'counter',
    help: 'Messages that are done with, and were deleted from the interruption queue.',
    labels: [],
  },
  interruption_message_queue_duration_seconds: {
    type: 'histogram',
    help: 'How long a message waited on the interruption queue.',
    labels: [],
  },
  interruption_instance_status_unhealthy_total: {
    type: 'counter',
    help: 'Instances that EC2 began to call unhealthy.',
    labels: ['category'],
  },
  aws_sdk_go_request_total: { type: 'counter', help: 'Calls of AWS.', labels: REQUEST, bare: true },
  aws_sdk_go_request_attempt_total: {
    type: 'counter',
    help: 'Calls of AWS, each try counted.',
    labels: REQUEST,
    bare: true,
  },
  aws_sdk_go_request_duration_seconds: {
    type: 'histogram',
    help: 'How long a call of AWS took with all its tries.',
    labels: REQUEST,
    buckets: LATENCIES,
    bare: true,
  },
  aws_sdk_go_request_attempt_duration_seconds: {
    type: 'histogram',
    help: 'How long one try of a call of AWS took.',
    labels: REQUEST,
    buckets: LATENCIES,
    bare: true,
  },
  aws_sdk_go_request_retry_count: {
    type: 'histogram',
    help: 'How often a call of AWS was tried again.',
    labels: REQUEST,
    buckets: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    bare: true,
  },
} as const satisfies MetricDefinitions;

/** Those of the EC2 provider (aws-provider.md section 28). */
export const AWS_METRICS = Object.fromEntries(
  Object.entries<MetricDefinition>(DEFINITIONS).map(([name, definition]) => [name, { ...definition, provider: 'aws' }]),
) as Readonly<Record<keyof typeof DEFINITIONS, MetricDefinition>>;
