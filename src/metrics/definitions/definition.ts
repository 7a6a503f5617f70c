/** What a metric is, before it has a series. Names are without the namespace `karpenter_` (karpenter-core.md section 11). */
export interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets; upstream's standard ones for durations in seconds unless told. */
  readonly buckets?: readonly number[];
  /** Has a label for every well-known node label too (see `nodeLabelNames`). */
  readonly ofNodes?: true;
  /** Has a label for every kind of node class too (see `nodeClassLabelNames`). */
  readonly ofNodeClasses?: true;
  /** Has series with the cloud provider of this name only. */
  readonly provider?: string;
  /** The name stands without the namespace. */
  readonly bare?: true;
}

export type MetricDefinitions = Readonly<Record<string, MetricDefinition>>;

/** Standard buckets of upstream for durations in seconds. */
export const DURATION_BUCKETS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60, 120, 150, 300, 450, 600,
];

/** Those that Prometheus' own libraries take when nothing is said. */
export const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `count` bounds, each `factor` times the one before. */
export function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  const bounds = [start];
  while (bounds.length < count) bounds.push((bounds.at(-1) ?? start) * factor);
  return bounds;
}
