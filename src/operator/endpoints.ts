import { type Page, probe, serve } from './http-endpoints.ts';
import type { OperatorOptions } from './options.ts';
import type { PromMetrics } from './prom-metrics.ts';

export interface EndpointsDeps {
  readonly options: Pick<OperatorOptions, 'metricsPort' | 'healthProbePort'>;
  readonly metrics: Pick<PromMetrics, 'text'>;
  readonly isReady: () => boolean;
}

/** Serves /metrics, /healthz and /readyz until the signal aborts; rejects with Node's error for a port that is taken. */
export async function startEndpoints({ options, metrics, isReady }: EndpointsDeps, signal: AbortSignal): Promise<void> {
  const metricsPage = async (): Promise<Page> => ({ status: 200, ...(await metrics.text()) });
  await serve(options.metricsPort, { '/metrics': metricsPage }, signal);
  await serve(options.healthProbePort, { '/healthz': probe(() => true), '/readyz': probe(isReady) }, signal);
}
