import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startEndpoints } from './endpoints.ts';
import { PromMetrics } from './prom-metrics.ts';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

test('metrics come under upstream’s names, and readiness says when the controller is ready', async () => {
  const options = { metricsPort: await freePort(), healthProbePort: await freePort() };
  const metrics = new PromMetrics({ wellKnownLabels: new Set(), supportedNodeClasses: () => [] });
  metrics.count('nodeclaims_created_total', { reason: 'provisioned', nodepool: 'p', min_values_relaxed: 'false' });
  metrics.observe('scheduler_scheduling_duration_seconds', 0.2, { controller: 'provisioner' });
  const stop = new AbortController();
  let ready = false;
  await startEndpoints({ options, metrics, isReady: () => ready }, stop.signal);
  const get = async (port: number, path: string) => await fetch(`http://127.0.0.1:${port}${path}`);

  const text = await (await get(options.metricsPort, '/metrics')).text();
  expect(text).toContain(
    'karpenter_nodeclaims_created_total{reason="provisioned",nodepool="p",min_values_relaxed="false"} 1',
  );
  expect(text).toContain('karpenter_scheduler_scheduling_duration_seconds_bucket{le="0.2",controller="provisioner"} 1');
  expect((await get(options.healthProbePort, '/readyz')).status).toBe(500);
  ready = true;
  expect((await get(options.healthProbePort, '/readyz')).status).toBe(200);
  expect((await get(options.healthProbePort, '/healthz')).status).toBe(200);
  expect((await get(options.metricsPort, '/else')).status).toBe(404);
  stop.abort();
});
