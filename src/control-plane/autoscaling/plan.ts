import type { Condition, Pod } from '../../kube/objects.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import { type NewCondition, withCondition } from '../conditions.ts';
import { currentMetric, type Reading, readMetric, usageRatio } from './metrics.ts';
import type { HorizontalPodAutoscaler } from './types.ts';

/** A ratio this near to 1 is left alone. */
const TOLERANCE = 0.1;
const DOWN_WINDOW_SECONDS = 300;
/** In one step a workload may double, or grow to this. */
const SMALL = 4;

/** What was recommended before, for the stabilization windows: times in epoch milliseconds. */
export interface Recommendation {
  readonly at: number;
  readonly replicas: number;
}

export interface AutoscaleView {
  readonly hpa: HorizontalPodAutoscaler;
  /** The target's size now. */
  readonly replicas: number;
  /** The target's ready pods. */
  readonly pods: readonly Pod[];
  readonly history: readonly Recommendation[];
}

export interface AutoscalePlan {
  readonly desired: number;
  readonly status: NonNullable<HorizontalPodAutoscaler['status']>;
  readonly history: readonly Recommendation[];
  /** Why the size changes, for the event; undefined when it doesn't. */
  readonly reason: string | undefined;
}

/** The size that the metrics ask for, within bounds and windows (upstream's podautoscaler). */
export function planAutoscale(view: AutoscaleView, now: number): AutoscalePlan {
  const { hpa, replicas } = view;
  const conditions: NewCondition[] = [ABLE];
  const readings = (hpa.spec.metrics ?? []).flatMap((spec) => readMetric(hpa, spec) ?? []);
  if (replicas === 0) {
    const message = 'scaling is disabled since the replica count of the target is zero';
    return end(view, now, 0, readings, [...conditions, inactive('ScalingDisabled', message)], view.history, undefined);
  }
  const wanted = recommend(view, readings);
  if (wanted === undefined) {
    const message = 'the HPA was unable to compute the replica count: no load is set by annotation';
    return end(
      view,
      now,
      replicas,
      readings,
      [...conditions, inactive('FailedGetResourceMetric', message)],
      view.history,
      undefined,
    );
  }
  conditions.push({
    type: 'ScalingActive',
    status: 'True',
    reason: 'ValidMetricFound',
    message: `the HPA was able to successfully calculate a replica count from ${wanted.metric}`,
  });
  const history = [...view.history, { at: now, replicas: wanted.replicas }];
  const stable = stabilize(hpa, history, replicas, wanted.replicas, now);
  conditions[0] = stable === wanted.replicas ? READY : STABILIZED;
  const bounded = bound(hpa, replicas, stable);
  conditions.push(bounded.condition);
  const direction = bounded.replicas > replicas ? 'above' : 'below';
  const reason = bounded.replicas === replicas ? undefined : `${wanted.metric} ${direction} target`;
  return end(view, now, bounded.replicas, readings, conditions, history, reason);
}

const ABLE: NewCondition = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'SucceededGetScale',
  message: "the HPA controller was able to get the target's current scale",
};
const READY: NewCondition = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'ReadyForNewScale',
  message: 'recommended size matches current size',
};
const STABILIZED: NewCondition = {
  type: 'AbleToScale',
  status: 'True',
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};

function inactive(reason: string, message: string): NewCondition {
  return { type: 'ScalingActive', status: 'False', reason, message };
}

/** The metric that asks for most decides. */
function recommend(
  { replicas, pods }: AutoscaleView,
  readings: readonly Reading[],
): { readonly replicas: number; readonly metric: string } | undefined {
  let most: { readonly replicas: number; readonly metric: string } | undefined;
  for (const reading of readings) {
    const ratio = usageRatio(reading, pods);
    if (ratio === undefined) continue;
    const base = reading.target.value === undefined ? pods.length : replicas;
    const wanted = Math.abs(ratio - 1) <= TOLERANCE ? replicas : Math.ceil(ratio * base);
    if (most === undefined || wanted > most.replicas) most = { replicas: wanted, metric: nameOf(reading) };
  }
  return most;
}

function nameOf({ spec, name, target }: Reading): string {
  if (!spec.resource) return `${spec.type.toLowerCase()} metric ${name}`;
  return target.averageUtilization === undefined
    ? `${name} resource`
    : `${name} resource utilization (percentage of request)`;
}

/** Down: the highest recommendation of the window. Up: the lowest. */
function stabilize(
  { spec: { behavior } }: HorizontalPodAutoscaler,
  history: readonly Recommendation[],
  current: number,
  wanted: number,
  now: number,
): number {
  const within = (seconds: number): readonly number[] =>
    history.filter(({ at }) => now - at <= seconds * 1000).map(({ replicas }) => replicas);
  if (wanted < current) {
    if (behavior?.scaleDown?.selectPolicy === 'Disabled') return current;
    const highest = Math.max(...within(behavior?.scaleDown?.stabilizationWindowSeconds ?? DOWN_WINDOW_SECONDS), wanted);
    return Math.min(current, highest);
  }
  if (behavior?.scaleUp?.selectPolicy === 'Disabled') return current;
  const lowest = Math.min(...within(behavior?.scaleUp?.stabilizationWindowSeconds ?? 0), wanted);
  return Math.max(current, lowest);
}

function bound(
  { spec: { minReplicas = 1, maxReplicas } }: HorizontalPodAutoscaler,
  current: number,
  wanted: number,
): { readonly replicas: number; readonly condition: NewCondition } {
  const limited = (replicas: number, reason: string, message: string) => {
    return { replicas, condition: { type: 'ScalingLimited', status: 'True', reason, message } as const };
  };
  const step = Math.max(2 * current, SMALL);
  if (wanted < minReplicas) {
    return limited(minReplicas, 'TooFewReplicas', 'the desired replica count is less than the minimum replica count');
  }
  if (wanted > Math.min(maxReplicas, step)) {
    return step < maxReplicas
      ? limited(step, 'ScaleUpLimit', 'the desired replica count is increasing faster than the maximum scale rate')
      : limited(maxReplicas, 'TooManyReplicas', 'the desired replica count is more than the maximum replica count');
  }
  const message = 'the desired count is within the acceptable range';
  return {
    replicas: wanted,
    condition: { type: 'ScalingLimited', status: 'False', reason: 'DesiredWithinRange', message },
  };
}

function end(
  view: AutoscaleView,
  now: number,
  desired: number,
  readings: readonly Reading[],
  conditions: readonly NewCondition[],
  history: readonly Recommendation[],
  reason: string | undefined,
): AutoscalePlan {
  const { hpa, replicas, pods } = view;
  const scaled = desired === replicas ? hpa.status?.lastScaleTime : formatTimestamp(now);
  return {
    desired,
    reason,
    history: history.filter(({ at }) => now - at <= longestWindow(hpa)),
    status: {
      observedGeneration: hpa.metadata.generation,
      ...(scaled === undefined ? {} : { lastScaleTime: scaled }),
      currentReplicas: replicas,
      desiredReplicas: desired,
      currentMetrics: readings.map((reading) => currentMetric(reading, pods)),
      conditions: conditions.reduce<readonly Condition[]>(
        (list, condition) => withCondition(list, condition, now),
        hpa.status?.conditions ?? [],
      ),
    },
  };
}

function longestWindow({ spec: { behavior } }: HorizontalPodAutoscaler): number {
  const down = behavior?.scaleDown?.stabilizationWindowSeconds ?? DOWN_WINDOW_SECONDS;
  return Math.max(down, behavior?.scaleUp?.stabilizationWindowSeconds ?? 0) * 1000;
}
