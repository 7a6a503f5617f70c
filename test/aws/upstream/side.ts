import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeClaim } from '../../../src/apis/node-claim.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../../src/aws-provider/apis/ec2-node-class.ts';
import type { Client } from '../../../src/kube/client.ts';
import type { KubeObject } from '../../../src/kube/objects.ts';
import { Events, NodeClaims, NodePools } from '../../../src/kube/resources.ts';
import { Program } from '../../e2e/process.ts';
import { startCluster } from '../cluster.ts';
import { controllerEnvironment } from '../controller-environment.ts';
import { type Entry, MotoServer, type Seeded } from '../moto/server.ts';
import { furnish, SOLD_OUT } from './account.ts';
import { CLUSTER, classSpec, REGION, type World } from './world.ts';

const CLUSTER_ENDPOINT = 'https://side.example';
const POLL_MS = 500;
/** Claims at once: on a slow machine one of too many is given up before it comes to its turn. */
const BATCH = 10;
/** What a controller may take for a batch, and for all classes together. */
const PATIENCE_MS = 240_000;
const CLASS_PATIENCE_MS = 420_000;

export interface SideEvent extends KubeObject {
  readonly involvedObject: { readonly kind: string; readonly name: string };
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** What one controller did in one world. */
export interface Outcome {
  readonly nodeClass: EC2NodeClass | undefined;
  /** As it was seen last. */
  readonly claim: NodeClaim | undefined;
  readonly launched: 'yes' | 'deleted' | 'undecided';
}

/** What one controller did in all worlds. */
export interface Side {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly events: readonly SideEvent[];
  readonly journal: readonly Entry[];
}

/** Lets a controller loose on the worlds, in an account and a cluster of their own. */
export async function runSide(
  command: readonly [string, ...string[]],
  worlds: readonly World[],
  folder: string,
): Promise<Side> {
  await mkdir(folder, { recursive: true });
  await using moto = await MotoServer.start();
  const seeded = await furnish(moto, CLUSTER_ENDPOINT);
  await using cluster = await startCluster(folder);
  const before = (await moto.journal()).length;
  const { kubeconfig } = cluster;
  const place = { moto, region: REGION, clusterName: CLUSTER, clusterEndpoint: CLUSTER_ENDPOINT, kubeconfig };
  await using controller = new Program(command, join(folder, 'controller.log'), {
    ...(await controllerEnvironment(place)),
    ...OPTIONS,
  });
  const failed = controller.untilFailure();
  failed.catch(() => {});
  const work = async () => {
    const { client } = cluster;
    for (const world of worlds) await createClass(client, world, seeded);
    // A claim whose class is not ready yet is tried again ever later.
    await classesDecided(client, worlds);
    const outcomes = new Map<string, Outcome>();
    for (const some of batches(worlds)) {
      if (some.some(({ last }) => last)) await moto.set('ice', SOLD_OUT);
      for (const world of some) await createClaim(client, world);
      for (const [name, outcome] of await settled(client, some)) outcomes.set(name, outcome);
    }
    return outcomes;
  };
  const outcomes = await Promise.race([work(), failed]);
  const { items } = await cluster.client.list(Events);
  return { outcomes, events: items as readonly SideEvent[], journal: await moto.journal(before) };
}

const OPTIONS = {
  EKS_CONTROL_PLANE: 'true',
  DISABLE_LEADER_ELECTION: 'true',
  FEATURE_GATES: 'ReservedCapacity=true',
  KUBE_CLIENT_QPS: '1000',
  KUBE_CLIENT_BURST: '1000',
};

/** With its pool, whose hash is to be on it before there is a claim. */
async function createClass(client: Client, world: World, seeded: Seeded): Promise<void> {
  await client.create(Ec2NodeClasses, {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: world.name },
    spec: classSpec(world, seeded),
  });
  await client.create(NodePools, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: world.name },
    spec: { template: { spec: { nodeClassRef: nodeClassRef(world), requirements: [] } } },
  });
}

const nodeClassRef = ({ name }: World) => ({ group: Ec2NodeClasses.group, kind: Ec2NodeClasses.kind, name });

async function createClaim(client: Client, world: World): Promise<void> {
  const { name, claim } = world;
  await client.create(NodeClaims, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    // As the provisioner makes it.
    metadata: { name, labels: { 'karpenter.sh/nodepool': name, 'karpenter.k8s.aws/ec2nodeclass': name } },
    spec: { requirements: [], ...claim, nodeClassRef: nodeClassRef(world) },
  });
}

async function classesDecided(client: Client, worlds: readonly World[]): Promise<void> {
  const stay = new Set(worlds.filter(({ stays }) => stays).map(({ name }) => name));
  const end = performance.now() + CLASS_PATIENCE_MS;
  for (;;) {
    const { items } = await client.list(Ec2NodeClasses);
    const undecided = items.filter(
      ({ metadata, status }) =>
        !stay.has(metadata.name) &&
        (status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown') === 'Unknown',
    );
    if (undecided.length === 0 || performance.now() > end) return;
    await sleep(POLL_MS);
  }
}

function batches(worlds: readonly World[]): readonly (readonly World[])[] {
  const cut = (rest: readonly World[]): readonly (readonly World[])[] =>
    rest.length === 0 ? [] : [rest.slice(0, BATCH), ...cut(rest.slice(BATCH))];
  return [...cut(worlds.filter(({ last }) => !last)), ...cut(worlds.filter(({ last }) => last))];
}

/** Watches until every claim is launched or gone. */
async function settled(client: Client, worlds: readonly World[]): Promise<ReadonlyMap<string, Outcome>> {
  const end = performance.now() + PATIENCE_MS;
  const seen = new Map<string, NodeClaim>();
  for (;;) {
    await sleep(POLL_MS);
    const [claims, classes] = await Promise.all([client.list(NodeClaims), client.list(Ec2NodeClasses)]);
    const there = new Map(claims.items.map((claim) => [claim.metadata.name, claim]));
    for (const [name, claim] of there) seen.set(name, claim);
    const outcomes = worlds.map(({ name }): [string, Outcome] => {
      const claim = there.get(name);
      const launched = claim?.status?.conditions?.some(({ type, status }) => type === 'Launched' && status === 'True');
      return [
        name,
        {
          nodeClass: classes.items.find(({ metadata }) => metadata.name === name),
          claim: seen.get(name),
          launched: launched ? 'yes' : claim ? 'undecided' : 'deleted',
        },
      ];
    });
    const decided = outcomes.every(([, { launched }], index) => launched !== 'undecided' || worlds[index]?.stays);
    if (decided || performance.now() > end) return new Map(outcomes);
  }
}
