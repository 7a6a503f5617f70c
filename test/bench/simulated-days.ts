/**
 * A busy cluster under virtual time: how long a simulated day takes, and what is left on the heap at its end.
 *
 *   node --expose-gc test/bench/simulated-days.ts [--nodes 200] [--days 1] [--seed 1]
 *
 * Every simulated hour all deployments change their size, every sixth the template of the pool changes, and nodes expire
 * after nine hours. Kubelets renew no leases, as in every simulation.
 */
import { parseArgs } from 'node:util';
import { Deployments, Events, NodePools } from '../../src/kube/resources.ts';
import { TestEnvironment } from '../environment.ts';
import { applied, patched, running, snapshot } from '../expectations/index.ts';
import { deployment, nodePool, requesting } from '../factories/index.ts';
import { SeededChoices } from '../parity/random.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '200' },
    days: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
  },
});
const HOUR = 3_600_000;
const PODS_TO_A_NODE = 3;
const DEPLOYMENTS = 20;

const choices = new SeededChoices(Number(values.seed));
const env = await TestEnvironment.open(Number(values.seed));
env.startCluster({
  controlPlane: { nodes: { monitorGrace: Number.POSITIVE_INFINITY, startupGrace: Number.POSITIVE_INFINITY } },
  kubelets: { leaseRenewMs: 0 },
});
env.startOperator();

const requirements = [
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] } as const,
  { key: 'karpenter.kwok.sh/instance-cpu', operator: 'Lte', values: ['4'] } as const,
];
const [pool] = await applied(
  env,
  NodePools,
  nodePool({
    spec: {
      template: { spec: { requirements, expireAfter: '9h' } },
      disruption: { consolidateAfter: '30s', budgets: [{ nodes: '10%' }] },
    },
  }),
);
const most = Math.ceil((Number(values.nodes) * PODS_TO_A_NODE) / DEPLOYMENTS);
const size = (): number => choices.integer(Math.ceil(most / 2), most);
const names: string[] = [];
for (let i = 0; i < DEPLOYMENTS; i++) {
  const cpu = choices.pick(['500m', '1', '1500m', '2']);
  const made = await applied(
    env,
    Deployments,
    deployment(size(), { spec: { template: { spec: requesting({ cpu }) } } }),
  );
  names.push(...made.map(({ metadata }) => metadata.name));
}

process.stdout.write('day  seconds  cpu seconds  heap MB  nodes  pods running  events\n');
for (let day = 1; day <= Number(values.days); day++) {
  const started = performance.now();
  const before = process.cpuUsage();
  for (let hour = 1; hour <= 24; hour++) {
    await env.clock.advance(HOUR);
    for (const name of names) await patched(env, Deployments, name, { spec: { replicas: size() } });
    if (hour % 6 !== 0) continue;
    const labels = { edition: `${day}-${hour}` };
    await patched(env, NodePools, pool?.metadata.name ?? '', { spec: { template: { metadata: { labels } } } });
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(before);
  const now = await snapshot(env);
  const events = (await env.client.list(Events)).items.length;
  const row = [
    day,
    seconds.toFixed(1),
    ((user + system) / 1e6).toFixed(1),
    heapMegabytes(),
    now.nodes.length,
    `${running(now)}/${now.pods.length}`,
    events,
  ];
  process.stdout.write(`${row.join('  ')}\n`);
}
await env.close();

function heapMegabytes(): string {
  globalThis.gc?.();
  return (process.memoryUsage().heapUsed / 2 ** 20).toFixed(1);
}
