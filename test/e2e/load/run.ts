/**
 * How quick a controller is and what it takes, ours beside upstream's, each on a fresh real control plane in one run; see
 * docs/benchmarks.md.
 *
 *   node test/e2e/load/run.ts
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../connect.ts';
import { CONTROLLERS } from '../controllers.ts';
import { buildPrograms } from '../programs.ts';
import { realCluster } from '../runtimes.ts';
import { type LoadResult, runLoad } from './scenario.ts';
import { loadTables } from './table.ts';

const programs = await buildPrograms();
const results = new Map<string, LoadResult>();
for (const controller of CONTROLLERS) {
  const folder = await mkdtemp(join(tmpdir(), 'karpenter-load-'));
  const report = (text: string): boolean => process.stderr.write(`${controller}: ${text}\n`);
  await using cluster = await realCluster(controller, programs)(folder);
  const client = await connect(cluster.kubeconfig);
  try {
    results.set(controller, await Promise.race([runLoad(client, cluster.controllerPid, report), cluster.failed]));
  } catch (error) {
    report(`logs are kept in ${folder}`);
    throw error;
  } finally {
    await client.close();
  }
  await rm(folder, { recursive: true });
}
process.stdout.write(loadTables(results));
