import { AWS_METRICS } from './definitions/aws.ts';
import { CLAIM_AND_NODE_METRICS } from './definitions/claims-and-nodes.ts';
import { CLUSTER_METRICS } from './definitions/cluster.ts';
import type { MetricDefinition } from './definitions/definition.ts';
import { DISRUPTION_METRICS } from './definitions/disruption.ts';
import { FRAMEWORK_METRICS } from './definitions/framework.ts';
import { POD_METRICS } from './definitions/pods.ts';
import { SCHEDULING_METRICS } from './definitions/scheduling.ts';
import { STATUS_METRICS } from './definitions/statuses.ts';

const ALL = {
  ...CLAIM_AND_NODE_METRICS,
  ...SCHEDULING_METRICS,
  ...DISRUPTION_METRICS,
  ...POD_METRICS,
  ...CLUSTER_METRICS,
  ...STATUS_METRICS,
  ...FRAMEWORK_METRICS,
  ...AWS_METRICS,
};

/** A metric's name, without the namespace unless its definition is `bare`. */
export type MetricName = keyof typeof ALL;

/** Every metric there is (karpenter-core.md section 11). */
export const METRICS: Readonly<Record<MetricName, MetricDefinition>> = ALL;
