import { join } from 'node:path';
import { Program } from '../../e2e/process.ts';
import { startCluster } from '../cluster.ts';
import { controllerEnvironment } from '../controller-environment.ts';
import { type Entry, MotoServer } from '../moto/server.ts';
import { Chapters } from './chapters.ts';
import { joinMachines } from './machines.ts';
import { CLUSTER, REGION } from './names.ts';

export interface Told {
  readonly lines: readonly string[];
  /** All that AWS was asked for, from the start of the controller. */
  readonly journal: readonly Entry[];
}

/** Lives through a node's life on EC2 with a controller, and tells it; throws at the first thing that is not as it should be. */
export async function tellStory(command: readonly [string, ...string[]], folder: string): Promise<Told> {
  await using moto = await MotoServer.start();
  const clusterEndpoint = 'https://story.example';
  const seeded = await moto.seed({ cluster: CLUSTER, region: REGION, version: '1.36', clusterEndpoint });
  await using cluster = await startCluster(folder);
  cluster.startWorkloads();
  const before = (await moto.journal()).length;
  const { kubeconfig } = cluster;
  const place = { moto, region: REGION, clusterName: CLUSTER, clusterEndpoint, kubeconfig };
  await using controller = new Program(command, join(folder, 'controller.log'), {
    ...(await controllerEnvironment(place)),
    INTERRUPTION_QUEUE: CLUSTER,
    ENABLE_ZONAL_SHIFT: 'true',
    DISABLE_LEADER_ELECTION: 'true',
  });
  const stop = new AbortController();
  const joining = joinMachines(moto, cluster.client, stop.signal);
  const chapters = new Chapters(moto, cluster.client, before);
  try {
    // Neither of the others ends by itself, unless it fails.
    await Promise.race([chapters.live(seeded), controller.untilFailure(), joining]);
    return { lines: chapters.lines, journal: await moto.journal(before) };
  } finally {
    stop.abort();
    await joining.catch(() => {});
  }
}
