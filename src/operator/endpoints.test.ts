import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEndpoints } from './endpoints.ts';
import { profilingPages } from './profiling.ts';
import { PromMetrics } from './prom-metrics.ts';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

let ports: { readonly metricsPort: number; readonly healthProbePort: number };
let metrics: PromMetrics;
let checks: Record<string, boolean>;
let stop: AbortController;
beforeEach(async () => {
  ports = { metricsPort: await freePort(), healthProbePort: await freePort() };
  metrics = new PromMetrics({ name: 'kwok', wellKnownLabels: new Set(), supportedNodeClasses: () => [] });
  checks = { manager: false, crd: true, readyz: true };
  stop = new AbortController();
});
afterEach(() => stop.abort());

const start = async (profiling = {}): Promise<void> =>
  await startEndpoints(
    { options: { ...ports, enableProfiling: false }, metrics, checks: () => checks, profiling },
    stop.signal,
  );
const get = async (port: number, path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: answer.status, text: await answer.text() };
};
const probe = (path: string) => get(ports.healthProbePort, path);

test('metrics come under upstream’s names', async () => {
  metrics.count('nodeclaims_created_total', { reason: 'provisioned', nodepool: 'p', min_values_relaxed: 'false' });
  metrics.observe('scheduler_scheduling_duration_seconds', 0.2, { controller: 'provisioner' });
  await start();
  const { text } = await get(ports.metricsPort, '/metrics');
  expect(text).toContain(
    'karpenter_nodeclaims_created_total{reason="provisioned",nodepool="p",min_values_relaxed="false"} 1',
  );
  expect(text).toContain('karpenter_scheduler_scheduling_duration_seconds_bucket{le="0.2",controller="provisioner"} 1');
  expect((await get(ports.metricsPort, '/else')).status).toBe(404);
});

test('10.5: readiness asks for full caches and for the definitions, and names what is missing', async () => {
  await start();
  expect(await probe('/readyz')).toEqual({
    status: 500,
    text: '[+]crd ok\n[-]manager failed: reason withheld\n[+]readyz ok\nhealthz check failed\n',
  });
  expect((await probe('/readyz/manager')).status).toBe(500);
  expect(await probe('/readyz/crd')).toEqual({ status: 200, text: 'ok' });
  expect(await probe('/readyz?exclude=manager')).toEqual({ status: 200, text: 'ok' });
  checks.manager = true;
  expect(await probe('/readyz')).toEqual({ status: 200, text: 'ok' });
  expect((await probe('/readyz?verbose')).text).toBe('[+]crd ok\n[+]manager ok\n[+]readyz ok\nhealthz check passed\n');
});

test('10.5: liveness is an answer, whatever the state of the caches', async () => {
  await start();
  expect(await probe('/healthz')).toEqual({ status: 200, text: 'ok' });
  expect(await probe('/healthz/healthz')).toEqual({ status: 200, text: 'ok' });
});

test('10.5: profiles of this process are on the metrics port when profiling is on', async () => {
  const slept: number[] = [];
  const sleep = async (ms: number): Promise<void> => void slept.push(ms);
  await start(profilingPages({ sleep }, ['node', 'karpenter']));
  expect((await get(ports.metricsPort, '/debug/pprof/')).text).toContain('.cpuprofile');
  expect((await get(ports.metricsPort, '/debug/pprof/cmdline')).text).toBe('node\0karpenter');
  expect((await get(ports.metricsPort, '/debug/pprof/profile?seconds=soon')).status).toBe(400);
  const profile = JSON.parse((await get(ports.metricsPort, '/debug/pprof/profile?seconds=2')).text);
  expect(Object.keys(profile)).toEqual(expect.arrayContaining(['nodes', 'samples', 'timeDeltas']));
  expect(slept).toEqual([2000]);
  const heap = JSON.parse((await get(ports.metricsPort, '/debug/pprof/heap')).text);
  expect(heap.snapshot.node_count).toBeGreaterThan(1000);
});

test('10.5: without profiling there is no profile', async () => {
  await start();
  expect((await get(ports.metricsPort, '/debug/pprof/')).status).toBe(404);
});
