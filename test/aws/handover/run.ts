/**
 * Upstream's EC2 controller makes a node; the built program takes the cluster over and makes another; then it goes back.
 * Over moto and an embedded cluster. Nothing may drift, and no instance may go.
 *
 *   node test/aws/handover/run.ts [--keep FOLDER]
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Ec2NodeClasses } from '../../../src/aws-provider/apis/ec2-node-class.ts';
import { Deployments, NodeClaims, NodePools } from '../../../src/kube/resources.ts';
import { Program } from '../../e2e/process.ts';
import { LAUNCHER } from '../../e2e/programs.ts';
import { startCluster } from '../cluster.ts';
import { controllerEnvironment } from '../controller-environment.ts';
import { MotoServer } from '../moto/server.ts';
import { joinMachines } from '../story/machines.ts';
import { CLUSTER, REGION } from '../story/names.ts';
import { deployment, nodeClass, nodePool } from '../story/objects.ts';
import { upstreamController } from '../upstream/controller.ts';

const PATIENCE_MS = 180_000;
const POLL_MS = 500;
/** Long enough for drift to be found and acted on after the last node has joined. */
const CALM_MS = 20_000;
/** Each step asks for more pods than the nodes so far can hold. */
const STEPS = [
  { by: 'upstream', pods: 3 },
  { by: 'ours', pods: 8 },
  { by: 'upstream', pods: 13 },
] as const;

const { values } = parseArgs({ options: { keep: { type: 'string' } } });
const folder = values.keep ? resolve(values.keep) : await mkdtemp(join(tmpdir(), 'kubectl-karpenter-handover-'));
await mkdir(folder, { recursive: true });

await using moto = await MotoServer.start();
const clusterEndpoint = 'https://story.example';
const seeded = await moto.seed({ cluster: CLUSTER, region: REGION, version: '1.36', clusterEndpoint });
await using cluster = await startCluster(folder);
cluster.startWorkloads();
const { client } = cluster;
const stop = new AbortController();
const joining = joinMachines(moto, client, stop.signal);

const commands: Readonly<Record<'ours' | 'upstream', [string, ...string[]]>> = {
  ours: [LAUNCHER, 'controller', '--provider', 'aws'],
  upstream: [await upstreamController()],
};

async function start(by: keyof typeof commands): Promise<Program> {
  const { kubeconfig } = cluster;
  const place = { moto, region: REGION, clusterName: CLUSTER, clusterEndpoint, kubeconfig };
  return new Program(commands[by], join(folder, `${by}.log`), {
    ...(await controllerEnvironment(place)),
    INTERRUPTION_QUEUE: CLUSTER,
    LEADER_ELECTION_NAMESPACE: 'kube-system',
  });
}

async function claims() {
  const { items } = await client.list(NodeClaims);
  return items.map(({ metadata, status }) => {
    const conditions = status?.conditions ?? [];
    const is = (wanted: string) => conditions.some(({ type, status: value }) => type === wanted && value === 'True');
    return { name: metadata.name, id: status?.providerID, ready: is('Initialized'), drifted: is('Drifted') };
  });
}

/** Waits for one more node than there were, then looks whether all that were there still are, undrifted. */
async function grows(from: ReadonlySet<string | undefined>): Promise<ReadonlySet<string | undefined>> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const now = await claims();
    if (now.length > from.size && now.every(({ ready }) => ready)) break;
    if (performance.now() > end) throw new Error(`no further node: ${JSON.stringify(now)}, see ${folder}`);
    await sleep(POLL_MS);
  }
  await sleep(CALM_MS);
  const after = await claims();
  const drifted = after.filter((claim) => claim.drifted);
  if (drifted.length > 0) throw new Error(`drifted: ${JSON.stringify(drifted)}`);
  const ids = new Set(after.map(({ id }) => id));
  const gone = [...from].filter((id) => !ids.has(id));
  if (gone.length > 0) throw new Error(`gone: ${gone.join(', ')}`);
  return ids;
}

await client.create(Ec2NodeClasses, nodeClass(seeded));
await client.create(NodePools, nodePool());
await client.create(Deployments, deployment(0));
let known: ReadonlySet<string | undefined> = new Set();
let leader: Program | undefined;
for (const { by, pods } of STEPS) {
  const next = await start(by);
  // It waits for the lease, which the other gives up as it ends.
  await leader?.[Symbol.asyncDispose]();
  leader = next;
  const body = { spec: { replicas: pods } };
  await client.patch(Deployments, { name: 'web', namespace: 'default' }, { type: 'merge', body });
  known = await Promise.race([grows(known), next.untilFailure(), joining.then(() => known)]);
  console.log(`${by}: ${pods} pods, ${known.size} nodes, none drifted, none gone`);
}
await leader?.[Symbol.asyncDispose]();
stop.abort();
await joining.catch(() => {});
if (!values.keep) await rm(folder, { recursive: true, force: true });
process.exit(0);
