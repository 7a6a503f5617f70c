import type { Conditioned } from '../../apis/conditions.ts';
import type { GaugeSeries, Labels, Series } from '../../metrics/metrics.ts';
import { kindLabels, ownLabels, type StatusOf } from './status-of.ts';

/** The conditions that objects have now, since when, and since when those that are being deleted are (karpenter-core.md 11.6). */
export function statusSeries<T extends Conditioned>(of: StatusOf<T>, objects: readonly T[], now: number): GaugeSeries {
  const own = gaugesOf(of, objects, now, (object) => ownLabels(of, object));
  const family: GaugeSeries = {
    [`operator_${of.kind}_status_condition_count`]: own.count,
    [`operator_${of.kind}_status_condition_current_status_seconds`]: own.since,
    [`operator_${of.kind}_termination_current_time_seconds`]: own.ending,
  };
  if (!of.deprecated) return family;
  const shared = gaugesOf(of, objects, now, () => kindLabels(of));
  return {
    ...family,
    operator_status_condition_count: shared.count,
    operator_status_condition_current_status_seconds: shared.since,
    operator_termination_current_time_seconds: shared.ending,
  };
}

function gaugesOf<T extends Conditioned>(
  { conditionsOf }: StatusOf<T>,
  objects: readonly T[],
  now: number,
  labelsOf: (object: T) => Labels,
) {
  const secondsSince = (time: string | undefined): number => (now - Date.parse(time ?? '')) / 1000;
  const count: Series[] = [];
  const since: Series[] = [];
  const ending: Series[] = [];
  for (const object of objects) {
    const { namespace = '', name, deletionTimestamp } = object.metadata;
    const labels: Labels = { namespace, name, ...labelsOf(object) };
    for (const { type, status, reason = '', lastTransitionTime } of conditionsOf(object)) {
      count.push({ labels: { ...labels, type, status, reason }, value: 1 });
      since.push({ labels: { ...labels, type, status, reason }, value: secondsSince(lastTransitionTime) });
    }
    if (deletionTimestamp) ending.push({ labels, value: secondsSince(deletionTimestamp) });
  }
  return { count, since, ending };
}
