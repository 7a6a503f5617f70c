export type Labels = Readonly<Record<string, string>>;

/** One value of a gauge. */
export interface Series {
  readonly labels: Labels;
  readonly value: number;
}

/** Where controllers count. Names are those of `METRICS`, without the namespace. */
export interface Metrics {
  /** Adds to a counter. */
  count(name: string, labels?: Labels, by?: number): void;
  /** Sets a gauge. */
  gauge(name: string, value: number, labels?: Labels): void;
  /** Adds to a histogram or summary. */
  observe(name: string, value: number, labels?: Labels): void;
  /** Computes all series of some gauges whenever somebody looks: what is gone is gone from them too. */
  collect(compute: () => Readonly<Record<string, Iterable<Series>>>): void;
}

/** Counts nothing: for simulations and tests. */
export const NO_METRICS: Metrics = { count() {}, gauge() {}, observe() {}, collect() {} };
