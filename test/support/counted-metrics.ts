import type { MetricName } from '../../src/metrics/definitions.ts';
import { type Labels, type Metrics, NO_METRICS } from '../../src/metrics/metrics.ts';

/** Remembers what was counted and observed. */
export class CountedMetrics implements Metrics {
  readonly #counted: (readonly [MetricName, Labels])[] = [];
  readonly #observed: (readonly [MetricName, number])[] = [];
  gauge = NO_METRICS.gauge;
  collect = NO_METRICS.collect;

  count(name: MetricName, labels: Labels = {}): void {
    this.#counted.push([name, labels]);
  }

  observe(name: MetricName, value: number, labels: Labels = {}): void {
    this.#counted.push([name, labels]);
    this.#observed.push([name, value]);
  }

  /** The labels of each time that it was counted or observed, in order. */
  of(name: MetricName): readonly Labels[] {
    return this.#counted.flatMap(([counted, labels]) => (counted === name ? [labels] : []));
  }

  /** The values that were observed, in order. */
  observed(name: MetricName): readonly number[] {
    return this.#observed.flatMap(([observed, value]) => (observed === name ? [value] : []));
  }
}
