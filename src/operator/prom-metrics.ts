import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { DURATION_BUCKETS, METRICS } from '../metrics/definitions.ts';
import type { Labels, Metrics, Series } from '../metrics/metrics.ts';

const NAMESPACE = 'karpenter_';
const PERCENTILES = [0, 0.5, 0.9, 0.99, 1];

type Instrument = Counter | Gauge | Histogram | Summary;

/** Metrics for Prometheus to scrape. Imported only where they are served: prom-client takes a while to load. */
export class PromMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #instruments = new Map<string, Instrument>();
  readonly #collectors: (() => Readonly<Record<string, Iterable<Series>>>)[] = [];

  /** @param nodeLabels names of the labels of metrics about nodes, which depend on the provider. */
  constructor(nodeLabels: readonly string[]) {
    for (const [name, { type, help, labels, buckets, ofNodes, bare }] of Object.entries(METRICS)) {
      const labelNames = ofNodes ? [...new Set([...labels, ...nodeLabels])] : [...labels];
      const base = { name: bare ? name : `${NAMESPACE}${name}`, help, labelNames, registers: [this.#registry] };
      this.#instruments.set(
        name,
        type === 'counter'
          ? new Counter(base)
          : type === 'gauge'
            ? new Gauge(base)
            : type === 'histogram'
              ? new Histogram({ ...base, buckets: [...(buckets ?? DURATION_BUCKETS)] })
              : new Summary({ ...base, percentiles: PERCENTILES }),
      );
    }
  }

  count(name: string, labels: Labels = {}, by = 1): void {
    const counter = this.#instruments.get(name);
    if (counter instanceof Counter) counter.inc({ ...labels }, by);
  }

  gauge(name: string, value: number, labels: Labels = {}): void {
    const gauge = this.#instruments.get(name);
    if (gauge instanceof Gauge) gauge.set({ ...labels }, value);
  }

  observe(name: string, value: number, labels: Labels = {}): void {
    const instrument = this.#instruments.get(name);
    if (instrument instanceof Histogram || instrument instanceof Summary) instrument.observe({ ...labels }, value);
  }

  collect(compute: () => Readonly<Record<string, Iterable<Series>>>): void {
    this.#collectors.push(compute);
  }

  /** All metrics in Prometheus' text format, with its content type. */
  async text(): Promise<{ readonly body: string; readonly contentType: string }> {
    for (const compute of this.#collectors) {
      for (const [name, series] of Object.entries(compute())) {
        const gauge = this.#instruments.get(name);
        if (!(gauge instanceof Gauge)) continue;
        gauge.reset();
        for (const { labels, value } of series) gauge.set({ ...labels }, value);
      }
    }
    return { body: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
