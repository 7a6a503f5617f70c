import type { MetricName } from './definitions.ts';

export type Labels = Readonly<Record<string, string>>;

/** One value of a gauge. */
export interface Series {
  readonly labels: Labels;
  readonly value: number;
}

/** All series of some gauges. */
export type GaugeSeries = Readonly<Partial<Record<MetricName, Iterable<Series>>>>;

/** Where controllers count. */
export interface Metrics {
  /** Adds to a counter. */
  count(name: MetricName, labels?: Labels, by?: number): void;
  /** Sets a gauge. */
  gauge(name: MetricName, value: number, labels?: Labels): void;
  /** Adds to a histogram or summary. */
  observe(name: MetricName, value: number, labels?: Labels): void;
  /** Computes all series of some gauges whenever somebody looks: what is gone is gone from them too. */
  collect(compute: () => GaugeSeries): void;
}

/** Counts nothing: for simulations and tests. */
export const NO_METRICS: Metrics = { count() {}, gauge() {}, observe() {}, collect() {} };
