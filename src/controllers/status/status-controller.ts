import type { Conditioned } from '../../apis/conditions.ts';
import { type ControllerSpec, watch } from '../../kube/controller.ts';
import type { Condition } from '../../kube/objects.ts';
import type { Labels } from '../../metrics/metrics.ts';
import type { ControllerContext } from '../context.ts';
import { finalized, transitioned } from './events.ts';
import { kindLabels, ownLabels, type StatusOf } from './status-of.ts';
import { statusSeries } from './status-series.ts';

type Deps = Pick<ControllerContext, 'informers' | 'clock' | 'metrics' | 'recorder'>;

const time = ({ lastTransitionTime }: Condition): number => Date.parse(lastTransitionTime ?? '');

/**
 * Tells and measures when conditions of a kind change and its objects end (karpenter-core.md 9.8, 11.6, 12.2.2; upstream's
 * operatorpkg). Only what was seen before counts as a change: conditions that came with the object are none.
 */
export class StatusController<T extends Conditioned> implements ControllerSpec {
  readonly name: string;
  readonly watches;
  readonly workers = 10;
  readonly #deps: Deps;
  readonly #of: StatusOf<T>;
  /** Objects as they were when they were last looked at. */
  readonly #seen = new Map<string, T>();

  constructor(deps: Deps, of: StatusOf<T>) {
    this.#deps = deps;
    this.#of = of;
    this.name = `operatorpkg.${of.kind}.status`;
    this.watches = [watch(of.resource)];
    deps.metrics.collect(() => statusSeries(of, deps.informers.reader(of.resource).list(), deps.clock.now()));
  }

  async reconcile(key: string) {
    const object = this.#deps.informers.reader(this.#of.resource).get(key);
    const before = this.#seen.get(key);
    if (before && before.metadata.uid !== object?.metadata.uid) this.#noteEnd(before);
    if (!object) {
      this.#seen.delete(key);
      return;
    }
    this.#seen.set(key, object);
    const same = before?.metadata.uid === object.metadata.uid ? before : undefined;
    this.#noteFinalizers(object, same?.metadata.finalizers ?? [], object.metadata.finalizers ?? []);
    this.#noteTransitions(object, same ? this.#of.conditionsOf(same) : []);
  }

  #noteEnd(last: T): void {
    const { deletionTimestamp, finalizers = [] } = last.metadata;
    if (deletionTimestamp !== undefined) {
      const seconds = (this.#deps.clock.now() - Date.parse(deletionTimestamp)) / 1000;
      this.#observe('termination_duration_seconds', seconds, last, {});
    }
    this.#noteFinalizers(last, finalizers, []);
  }

  #noteFinalizers(object: T, before: readonly string[], now: readonly string[]): void {
    const gone = before.filter((finalizer) => !now.includes(finalizer));
    for (const finalizer of gone) this.#deps.recorder.publish(finalized(this.#of.resource, object, finalizer));
  }

  #noteTransitions(object: T, before: readonly Condition[]): void {
    for (const condition of this.#of.conditionsOf(object)) {
      const { type, status, reason = '' } = condition;
      const old = before.find((known) => known.type === type);
      if ((old?.status ?? 'Unknown') === status) continue;
      this.#count(object, { type, status, reason });
      if (!old) continue;
      const seconds = (time(condition) - time(old)) / 1000;
      this.#observe('status_condition_transition_seconds', seconds, object, { type, status: old.status });
      this.#deps.recorder.publish(transitioned(this.#of.resource, object, old.status, condition));
    }
  }

  #count(object: T, labels: Labels): void {
    const { kind, deprecated } = this.#of;
    const { metrics } = this.#deps;
    metrics.count(`operator_${kind}_status_condition_transitions_total`, { ...labels, ...ownLabels(this.#of, object) });
    if (deprecated)
      metrics.count('operator_status_condition_transitions_total', { ...labels, ...kindLabels(this.#of) });
  }

  #observe(
    what: 'termination_duration_seconds' | 'status_condition_transition_seconds',
    seconds: number,
    object: T,
    labels: Labels,
  ): void {
    if (!Number.isFinite(seconds)) return;
    const { kind, deprecated } = this.#of;
    const { metrics } = this.#deps;
    metrics.observe(`operator_${kind}_${what}`, seconds, { ...labels, ...ownLabels(this.#of, object) });
    if (deprecated) metrics.observe(`operator_${what}`, seconds, { ...labels, ...kindLabels(this.#of) });
  }
}
