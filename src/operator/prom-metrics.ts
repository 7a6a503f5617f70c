import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry, Summary } from 'prom-client';
import type { CloudProvider } from '../cloudprovider/types.ts';
import { nodeClassLabelNames, nodeLabelNames } from '../controllers/metrics/node-labels.ts';
import { DURATION_BUCKETS, type MetricDefinition } from '../metrics/definitions/definition.ts';
import { METRICS, type MetricName } from '../metrics/definitions.ts';
import type { GaugeSeries, Labels, Metrics } from '../metrics/metrics.ts';

const NAMESPACE = 'karpenter_';
const PERCENTILES = [0, 0.5, 0.9, 0.99, 1];
/** A summary speaks of the last ten minutes, in five steps, as those of Prometheus' Go library do. */
const SUMMARY_WINDOW = { maxAgeSeconds: 600, ageBuckets: 5 };

type Instrument = Counter | Gauge | Histogram | Summary;
type Provider = Pick<CloudProvider, 'name' | 'wellKnownLabels' | 'supportedNodeClasses'>;

/** Metrics for Prometheus to scrape. Imported only where they are served: prom-client takes a while to load. */
export class PromMetrics implements Metrics {
  readonly #registry = new Registry();
  readonly #instruments = new Map<MetricName, Instrument>();
  readonly #collectors: (() => GaugeSeries)[] = [];

  /** @param cloud some metrics have a label for each of its well-known labels, or node classes. */
  constructor(cloud: Provider) {
    for (const [name, definition] of Object.entries(METRICS)) {
      if (definition.provider !== undefined && definition.provider !== cloud.name) continue;
      this.#instruments.set(name as MetricName, instrument(name, definition, cloud, this.#registry));
    }
  }

  count(name: MetricName, labels: Labels = {}, by = 1): void {
    const counter = this.#instruments.get(name);
    if (counter instanceof Counter) counter.inc({ ...labels }, by);
  }

  gauge(name: MetricName, value: number, labels: Labels = {}): void {
    const gauge = this.#instruments.get(name);
    if (gauge instanceof Gauge) gauge.set({ ...labels }, value);
  }

  observe(name: MetricName, value: number, labels: Labels = {}): void {
    const found = this.#instruments.get(name);
    if (found instanceof Histogram || found instanceof Summary) found.observe({ ...labels }, value);
  }

  collect(compute: () => GaugeSeries): void {
    this.#collectors.push(compute);
  }

  /** Measures the process and its JavaScript engine too, as `process_*` and `nodejs_*`. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** All metrics in Prometheus' text format, with its content type. */
  async text(): Promise<{ readonly body: string; readonly contentType: string }> {
    const emptied = new Set<string>();
    for (const compute of this.#collectors) {
      for (const [name, series] of Object.entries(compute())) {
        const gauge = this.#instruments.get(name as MetricName);
        if (!(gauge instanceof Gauge)) continue;
        if (!emptied.has(name)) gauge.reset();
        emptied.add(name);
        for (const { labels, value } of series) gauge.set({ ...labels }, value);
      }
    }
    return { body: await this.#registry.metrics(), contentType: this.#registry.contentType };
  }
}

function instrument(name: string, definition: MetricDefinition, cloud: Provider, registry: Registry): Instrument {
  const { type, help, labels, buckets, ofNodes, ofNodeClasses, bare } = definition;
  const labelNames = [
    ...new Set([
      ...labels,
      ...(ofNodes ? nodeLabelNames(cloud) : []),
      ...(ofNodeClasses ? nodeClassLabelNames(cloud) : []),
    ]),
  ];
  const base = { name: bare ? name : `${NAMESPACE}${name}`, help, labelNames, registers: [registry] };
  switch (type) {
    case 'counter':
      return new Counter(base);
    case 'gauge':
      return new Gauge(base);
    case 'histogram':
      return new Histogram({ ...base, buckets: [...(buckets ?? DURATION_BUCKETS)] });
    case 'summary':
      return new Summary({ ...base, percentiles: PERCENTILES, ...SUMMARY_WINDOW });
  }
}
