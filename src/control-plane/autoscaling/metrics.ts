import type { Pod } from '../../kube/objects.ts';
import { podRequests } from '../../kube/pod-requests.ts';
import { parseQuantityMilli, QuantityError } from '../../kube/quantity.ts';
import type { HorizontalPodAutoscaler, MetricSpec, MetricTarget } from './types.ts';

/**
 * Fake pods use nothing, so an autoscaler's metrics are what its annotations say: `load.cli.karpenter.sh/cpu: "12"` is
 * the total of a metric over all pods, which they share evenly. So a load can be set once, and scaling out relieves it.
 */
const LOAD_ANNOTATION = 'load.cli.karpenter.sh/';

export interface Reading {
  readonly spec: MetricSpec;
  readonly name: string;
  readonly target: MetricTarget;
  /** Thousandths, over all pods. */
  readonly total: number;
}

/** Reads a metric's load; undefined when none is set or it is no quantity. */
export function readMetric(hpa: HorizontalPodAutoscaler, spec: MetricSpec): Reading | undefined {
  const { name, target } = metricOf(spec) ?? {};
  const text = hpa.metadata.annotations?.[`${LOAD_ANNOTATION}${name}`];
  if (name === undefined || target === undefined || text === undefined) return undefined;
  try {
    return { spec, name, target, total: parseQuantityMilli(text) };
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

function metricOf(
  spec: MetricSpec,
): { readonly name: string | undefined; readonly target: MetricTarget | undefined } | undefined {
  const source = spec.resource ?? spec.containerResource ?? spec.pods ?? spec.object ?? spec.external;
  return source && { name: source.name ?? source.metric?.name, target: source.target };
}

/** How far a metric is from its target: 1 is on it, 2 is twice as much. Undefined when that can't be told. */
export function usageRatio({ name, target, total }: Reading, pods: readonly Pod[]): number | undefined {
  if (target.averageUtilization !== undefined) {
    const requested = pods.reduce((sum, pod) => sum + (podRequests(pod)[name] ?? 0), 0);
    return requested === 0 ? undefined : ((total / requested) * 100) / target.averageUtilization;
  }
  if (target.averageValue !== undefined) {
    return pods.length === 0 ? undefined : total / pods.length / parseQuantityMilli(String(target.averageValue));
  }
  return target.value === undefined ? undefined : total / parseQuantityMilli(String(target.value));
}

/** The reading as status.currentMetrics shows it. */
export function currentMetric({ spec, name, target, total }: Reading, pods: readonly Pod[]): unknown {
  const averageValue = `${Math.round(total / Math.max(1, pods.length))}m`;
  const requested = pods.reduce((sum, pod) => sum + (podRequests(pod)[name] ?? 0), 0);
  const current =
    target.averageUtilization === undefined
      ? target.averageValue === undefined
        ? { value: `${total}m` }
        : { averageValue }
      : { averageValue, averageUtilization: requested === 0 ? 0 : Math.round((total / requested) * 100) };
  if (spec.resource) return { type: spec.type, resource: { name, current } };
  if (spec.containerResource)
    return { type: spec.type, containerResource: { name, container: spec.containerResource.container, current } };
  const { metric } = spec.pods ?? spec.object ?? spec.external ?? {};
  const field = spec.pods ? 'pods' : spec.object ? 'object' : 'external';
  const described = spec.object?.describedObject ? { describedObject: spec.object.describedObject } : {};
  return { type: spec.type, [field]: { metric, current, ...described } };
}
