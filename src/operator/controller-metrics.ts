import type { Clock } from '../kube/clock.ts';
import type { Controller, Reconciled } from '../kube/controller.ts';
import type { QueueObserver } from '../kube/work-queue.ts';
import type { GaugeSeries, Metrics, Series } from '../metrics/metrics.ts';

export interface ControllerMetricsDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly metrics: Metrics;
}

type Watched = Pick<Controller, 'name' | 'workers' | 'queue'>;

const RESULTS: readonly Reconciled['result'][] = ['error', 'requeue_after', 'requeue', 'success'];
/** Our queues know one priority; this is upstream's name for it. */
const PRIORITY = '0';

/** What controllers do and what waits for them, as controller-runtime measures it (karpenter-core.md 11.7). */
export class ControllerMetrics {
  readonly #deps: ControllerMetricsDeps;
  readonly #controllers: Watched[] = [];

  constructor(deps: ControllerMetricsDeps) {
    this.#deps = deps;
    deps.metrics.collect(() => this.#series());
  }

  /** Every series of the controller is there from the start, so that rates have something to begin with. */
  add(controller: Watched): void {
    const { metrics } = this.#deps;
    const { name } = controller;
    this.#controllers.push(controller);
    for (const result of RESULTS) metrics.count('controller_runtime_reconcile_total', { controller: name, result }, 0);
    metrics.count('controller_runtime_reconcile_errors_total', { controller: name }, 0);
    metrics.count('workqueue_adds_total', queueLabels(name), 0);
    metrics.count('workqueue_retries_total', queueLabels(name), 0);
  }

  /** For the queue of a controller. */
  observerOf(controller: string): QueueObserver {
    const { metrics } = this.#deps;
    const labels = queueLabels(controller);
    return {
      added: () => metrics.count('workqueue_adds_total', labels),
      taken: (ms) => metrics.observe('workqueue_queue_duration_seconds', ms / 1000, labels),
      worked: (ms) => metrics.observe('workqueue_work_duration_seconds', ms / 1000, labels),
      retried: () => metrics.count('workqueue_retries_total', labels),
    };
  }

  /** A reconciliation has ended. */
  reconciled({ controller, error, result, durationMs }: Reconciled): void {
    const { metrics } = this.#deps;
    metrics.count('controller_runtime_reconcile_total', { controller, result });
    metrics.observe('controller_runtime_reconcile_time_seconds', durationMs / 1000, { controller });
    if (error !== undefined) metrics.count('controller_runtime_reconcile_errors_total', { controller });
  }

  #series(): GaugeSeries {
    const now = this.#deps.clock.now();
    const each = (value: (controller: Watched) => number, labels = controllerLabels): Series[] =>
      this.#controllers.map((controller) => ({ labels: labels(controller.name), value: value(controller) }));
    const secondsInWork = ({ queue }: Watched): readonly number[] =>
      queue.inWork().map((since) => (now - since) / 1000);
    return {
      controller_runtime_max_concurrent_reconciles: each(({ workers }) => workers),
      controller_runtime_active_workers: each(({ queue }) => queue.inWork().length),
      workqueue_depth: each(
        ({ queue }) => queue.length,
        (name) => ({ ...queueLabels(name), priority: PRIORITY }),
      ),
      workqueue_unfinished_work_seconds: each(
        (controller) => secondsInWork(controller).reduce((sum, seconds) => sum + seconds, 0),
        queueLabels,
      ),
      workqueue_longest_running_processor_seconds: each(
        (controller) => Math.max(0, ...secondsInWork(controller)),
        queueLabels,
      ),
    };
  }
}

const controllerLabels = (controller: string): Record<string, string> => ({ controller });
const queueLabels = (controller: string): Record<string, string> => ({ name: controller, controller });
