import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { DURATION_BUCKETS, METRICS } from '../metrics/definitions.ts';
import type { Labels, Metrics } from '../metrics/metrics.ts';

const NAMESPACE = 'karpenter_';
const PERCENTILES = [0, 0.5, 0.9, 0.99, 1];

type Instrument = Counter | Gauge | Histogram | Summary;

/** Metrics for Prometheus to scrape. Imported only where they are served: prom-client takes a while to load. */
export class PromMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #instruments = new Map<string, Instrument>();

  constructor() {
    for (const [name, { type, help, labels, buckets }] of Object.entries(METRICS)) {
      const base = { name: `${NAMESPACE}${name}`, help, labelNames: [...labels], registers: [this.#registry] };
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

  /** All metrics in Prometheus' text format, with its content type. */
  async text(): Promise<{ readonly body: string; readonly contentType: string }> {
    return { body: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}
