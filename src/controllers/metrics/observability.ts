import type { ControllerSpec } from '../../kube/controller.ts';
import type { ControllerContext } from '../context.ts';
import { nodePoolSeries } from './node-pool-series.ts';
import { nodeSeries } from './node-series.ts';
import { PodMetrics } from './pod.ts';

/**
 * What is measured of every single pod, node and pool (karpenter-core.md 9.7). Gauges are computed when somebody looks, where
 * upstream's controllers write them every few seconds.
 */
export function observability(context: ControllerContext): readonly ControllerSpec[] {
  context.metrics.collect(() => ({ ...nodeSeries(context), ...nodePoolSeries(context) }));
  return [new PodMetrics(context)];
}
