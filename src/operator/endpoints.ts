import { type Checks, healthPages } from './health-pages.ts';
import { type Page, type PageMaker, serve } from './http-endpoints.ts';
import type { OperatorOptions } from './options.ts';
import type { PromMetrics } from './prom-metrics.ts';

export interface EndpointsDeps {
  readonly options: Pick<OperatorOptions, 'metricsPort' | 'healthProbePort' | 'enableProfiling'>;
  readonly metrics: Pick<PromMetrics, 'text'>;
  /** What readiness asks for. */
  readonly checks: () => Checks;
  /** Further pages of the metrics port. */
  readonly profiling?: Readonly<Record<string, PageMaker>>;
}

/**
 * Serves /metrics, /healthz and /readyz until the signal aborts (karpenter-core.md 10.5); rejects with Node's error for a
 * port that is taken.
 */
export async function startEndpoints(
  { options, metrics, checks, profiling = {} }: EndpointsDeps,
  signal: AbortSignal,
): Promise<void> {
  const metricsPage = async (): Promise<Page> => ({ status: 200, ...(await metrics.text()) });
  await serve(options.metricsPort, { ...profiling, '/metrics': metricsPage }, signal);
  const pages = { ...healthPages('/healthz', () => ({ healthz: true })), ...healthPages('/readyz', checks) };
  await serve(options.healthProbePort, pages, signal);
}
