import { conditionIsTrue, findCondition } from '../../kube/conditions.ts';
import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { keyOf } from '../../kube/object-key.ts';
import type { Pod } from '../../kube/objects.ts';
import { isReady, isTerminal } from '../../kube/pods.ts';
import { Pods } from '../../kube/resources.ts';
import type { GaugeSeries, Series } from '../../metrics/metrics.ts';
import type { ControllerContext } from '../context.ts';
import { podStateSeries } from './pod-state-series.ts';

type Deps = Pick<ControllerContext, 'informers' | 'cluster' | 'clock' | 'metrics'>;

const isPending = (pod: Pod): boolean => pod.status?.phase === 'Pending';

/**
 * Measures how long pods take until they are bound, and until they are ready for the first time (karpenter-core.md 9.7, 11.4.23
 * to 11.4.25). Only pods that were seen to be pending count: how long others took happened before our time.
 */
export class PodMetrics implements ControllerSpec {
  readonly name = 'metrics.pod';
  readonly watches = [watch(Pods)];
  readonly #deps: Deps;
  /** Keys of pods that were pending, until they are ready for the first time, or have run to their end. */
  readonly #unstarted = new Set<string>();
  /** Keys of pods that were pending, until that is over. */
  readonly #unbound = new Set<string>();

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.metrics.collect(() => ({ pods_state: podStateSeries(deps), ...this.#waits() }));
  }

  async reconcile(key: string) {
    const pod = this.#deps.informers.reader(Pods).get(key);
    if (!pod) {
      this.#unstarted.delete(key);
      this.#unbound.delete(key);
    } else if (isPending(pod)) {
      this.#unstarted.add(key);
      this.#unbound.add(key);
    } else {
      // The time that a place was found is forgotten once the pod runs.
      const { placed } = this.#deps.cluster.podTimings.of(key);
      this.#noteStart(key, pod, placed);
      this.#noteBinding(key, pod, placed);
    }
  }

  #noteStart(key: string, pod: Pod, placed: number | undefined): void {
    if (!this.#unstarted.has(key)) return;
    if (isReady(pod)) {
      this.#observe(
        pod,
        'Ready',
        placed,
        'pods_startup_duration_seconds',
        'pods_provisioning_startup_duration_seconds',
      );
    } else if (!isTerminal(pod)) return;
    this.#unstarted.delete(key);
    this.#deps.cluster.podTimings.forget(key);
  }

  #noteBinding(key: string, pod: Pod, placed: number | undefined): void {
    if (!this.#unbound.has(key) || !conditionIsTrue(pod, 'PodScheduled')) return;
    const bound = 'pods_provisioning_bound_duration_seconds';
    this.#observe(pod, 'PodScheduled', placed, 'pods_bound_duration_seconds', bound);
    this.#unbound.delete(key);
  }

  /** From the pod's creation, and from when a place was found, until a condition of it came true. */
  #observe(
    pod: Pod,
    condition: string,
    placed: number | undefined,
    sinceCreation: 'pods_startup_duration_seconds' | 'pods_bound_duration_seconds',
    sincePlaced: 'pods_provisioning_startup_duration_seconds' | 'pods_provisioning_bound_duration_seconds',
  ): void {
    const { metrics } = this.#deps;
    const time = Date.parse(findCondition(pod, condition)?.lastTransitionTime ?? '');
    const waited = (time - Date.parse(pod.metadata.creationTimestamp ?? '')) / 1000;
    if (Number.isFinite(waited)) metrics.observe(sinceCreation, waited);
    if (placed !== undefined && Number.isFinite(time)) metrics.observe(sincePlaced, (time - placed) / 1000);
  }

  /** Pods that wait at this moment, by what for. */
  #waits(): GaugeSeries {
    const { clock, cluster } = this.#deps;
    const now = clock.now();
    const series = (pods: readonly Pod[], since: (pod: Pod) => number | undefined): Series[] =>
      pods.flatMap((pod) => {
        const from = since(pod);
        const labels = { name: pod.metadata.name, namespace: pod.metadata.namespace ?? '' };
        return from === undefined ? [] : [{ labels, value: (now - from) / 1000 }];
      });
    const created = (pod: Pod) => Date.parse(pod.metadata.creationTimestamp ?? '');
    const placed = (pod: Pod) => cluster.podTimings.of(keyOf(pod)).placed;
    const unstarted = this.#podsOf(this.#unstarted);
    const unbound = this.#podsOf(this.#unbound).filter(
      (pod) => isPending(pod) && !conditionIsTrue(pod, 'PodScheduled'),
    );
    const seen = new Map(
      [...cluster.podTimings.entries()].map(([key, { seen: at, decided }]) => [key, decided ? undefined : at]),
    );
    const undecided = this.#podsOf(seen.keys()).filter((pod) => !conditionIsTrue(pod, 'PodScheduled'));
    return {
      pods_unstarted_time_seconds: series(unstarted, created),
      pods_provisioning_unstarted_time_seconds: series(unstarted, placed),
      pods_unbound_time_seconds: series(unbound, created),
      pods_provisioning_unbound_time_seconds: series(unbound, placed),
      pods_provisioning_scheduling_undecided_time_seconds: series(undecided, (pod) => seen.get(keyOf(pod))),
    };
  }

  #podsOf(keys: Iterable<string>): readonly Pod[] {
    const pods = this.#deps.informers.reader(Pods);
    return [...keys].flatMap((key) => pods.get(key) ?? []);
  }
}
