import { KwokNodeClasses } from '../../../kwok-provider/apis/kwok-node-class.ts';
import type { Client } from '../../../src/kube/client.ts';
import { Informers } from '../../../src/kube/informers.ts';
import { Deployments, NodePools, Pods } from '../../../src/kube/resources.ts';
import { RealClock } from '../../../src/operator/clock.ts';
import { CryptoRandom } from '../../../src/operator/random.ts';
import { deployment, nodePool, pod } from '../../factories/index.ts';
import { Timeline } from './timeline.ts';
import { type Usage, UsageMeter } from './usage.ts';

/** Times of one pod that needs a node of its own, in milliseconds after the pod was seen. */
export interface Latency {
  readonly toClaim: number;
  readonly toNodeReady: number;
}

/** One part of the run: what was asked for, how long it took, and what the controller used meanwhile. */
export interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly nodes: number;
  readonly usage: Usage;
}

export interface LoadResult {
  readonly idle: Usage;
  readonly latencies: readonly Latency[];
  readonly phases: readonly Phase[];
}

const IDLE_MS = 10_000;
const LATENCY_PODS = 15;
const LONGEST_MS = 15 * 60_000;
/** Nodes count as settled when their number has stood still this long: over two polls of disruption and a validation. */
const SETTLED_MS = 45_000;
/** The two workloads of upstream's own performance suite. */
const WORKLOADS = { small: { cpu: '900m', memory: '3100Mi' }, large: { cpu: '3500m', memory: '28Gi' } };

/**
 * Takes a controller on an empty cluster through single pods that each need a node, 1,000 pods at once, 300 of them gone,
 * and all of them gone; upstream's performance suite has the same sizes.
 */
export async function runLoad(
  client: Client,
  controllerPid: number,
  report: (text: string) => void,
): Promise<LoadResult> {
  const stop = new AbortController();
  const informers = new Informers({ client, clock: new RealClock(), random: new CryptoRandom() });
  const timeline = new Timeline(informers);
  informers.start(stop.signal);
  await informers.synced();
  const meter = new UsageMeter(controllerPid);
  try {
    await sleep(IDLE_MS);
    const idle = meter.lap();
    report(`idle: ${describe(idle)}`);
    await client.create(KwokNodeClasses, NODE_CLASS);
    await client.create(NodePools, nodePool({ metadata: { name: 'load' }, spec: POOL }));
    const latencies = await singlePods(client, timeline);
    report(`${latencies.length} single pods`);
    meter.lap();
    const phases: Phase[] = [];
    const phase = async (name: string, begin: () => Promise<unknown>, until: () => boolean) => {
      const start = performance.now();
      await begin();
      await waitFor(name, until);
      const done: Phase = {
        name,
        seconds: (performance.now() - start) / 1000,
        nodes: timeline.nodes,
        usage: meter.lap(),
      };
      phases.push(done);
      report(`${name}: ${done.seconds.toFixed(1)} s, ${done.nodes} nodes, ${describe(done.usage)}`);
    };
    await phase(
      '1,000 pods',
      () => scale(client, 500, 'create'),
      () => timeline.running === 1000,
    );
    await phase(
      'down to 700',
      () => scale(client, 350),
      settled(() => timeline.running === 700, timeline),
    );
    await phase(
      'down to none',
      () => scale(client, 0),
      () => timeline.nodes === 0 && timeline.claims === 0,
    );
    return { idle, latencies, phases };
  } finally {
    meter.stop();
    stop.abort();
    await informers.stopped();
  }
}

const NODE_CLASS = { apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' } };
const POOL = {
  disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s', budgets: [{ nodes: '100%' }] },
} as const;

async function singlePods(client: Client, timeline: Timeline): Promise<readonly Latency[]> {
  const latencies: Latency[] = [];
  const labels = { app: 'single' };
  for (let i = 0; i < LATENCY_PODS; i++) {
    const name = `single-${i}`;
    const [claims, ready] = [timeline.claimsSeen.size, timeline.nodesReady.size];
    await client.create(
      Pods,
      pod({
        metadata: { name, namespace: 'default', labels, annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
        spec: {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } },
              ],
            },
          },
        },
      }),
    );
    await waitFor(name, () => timeline.podsRunning.has(name));
    const seen = timeline.podsSeen.get(name) ?? Number.NaN;
    latencies.push({
      toClaim: ([...timeline.claimsSeen.values()][claims] ?? Number.NaN) - seen,
      toNodeReady: ([...timeline.nodesReady.values()][ready] ?? Number.NaN) - seen,
    });
  }
  for (let i = 0; i < LATENCY_PODS; i++) await client.delete(Pods, { name: `single-${i}`, namespace: 'default' });
  await waitFor('the nodes of the single pods to go', () => timeline.nodes === 0);
  return latencies;
}

async function scale(client: Client, replicas: number, how: 'create' | 'patch' = 'patch'): Promise<void> {
  for (const [name, requests] of Object.entries(WORKLOADS)) {
    if (how === 'patch') {
      await client.patch(Deployments, { name, namespace: 'default' }, { type: 'merge', body: { spec: { replicas } } });
      continue;
    }
    const containers = [{ name: 'main', image: 'app', resources: { requests } }];
    await client.create(
      Deployments,
      deployment(replicas, { metadata: { name }, spec: { template: { spec: { containers } } } }),
    );
  }
}

/** True once `wanted` holds and the number of nodes has stood still for a while. */
function settled(wanted: () => boolean, timeline: Timeline): () => boolean {
  let [nodes, since] = [timeline.nodes, performance.now()];
  return () => {
    if (!wanted() || timeline.nodes !== nodes || timeline.claims !== nodes) {
      [nodes, since] = [timeline.nodes, performance.now()];
    }
    return performance.now() - since > SETTLED_MS;
  };
}

async function waitFor(what: string, wanted: () => boolean): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (!wanted()) {
    if (performance.now() > end) throw new Error(`waited ${LONGEST_MS / 60_000} minutes for ${what}`);
    await sleep(20);
  }
}

function describe({ cores, memoryP95 }: Usage): string {
  return `${cores.toFixed(2)} cores, ${memoryP95.toFixed(0)} MiB`;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
