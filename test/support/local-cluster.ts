import { ApiServer } from '../../src/apiserver/index.ts';
import type { ControlPlaneDeps } from '../../src/control-plane/control-plane-deps.ts';
import type { NewEvent } from '../../src/control-plane/recorder.ts';
import type { Client, Resource } from '../../src/kube/client.ts';
import { Informers } from '../../src/kube/informers.ts';
import type { Runnable } from '../../src/kube/manager.ts';
import { refKey } from '../../src/kube/object-key.ts';
import type { KubeObject, Node } from '../../src/kube/objects.ts';
import { Nodes } from '../../src/kube/resources.ts';
import { SeededRandom } from '../../src/operator/random.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';

/** An embedded API on a virtual clock, and what control-plane parts are built from. */
export interface LocalCluster {
  readonly clock: VirtualClock;
  readonly client: Client;
  readonly deps: ControlPlaneDeps;
  /** Events in order, as `component reason namespace/name: message`. */
  readonly events: readonly string[];
  create<T extends KubeObject>(resource: Resource<T>, ...objects: readonly T[]): Promise<void>;
  get<T extends KubeObject>(resource: Resource<T>, name: string, namespace?: string): Promise<T>;
  list<T extends KubeObject>(resource: Resource<T>): Promise<readonly T[]>;
  /** Runs parts beside the API until `stop`. */
  run(...parts: readonly Runnable[]): Promise<void>;
  stop(): Promise<void>;
}

/** Takes away the taint that every new node comes with, as the node lifecycle controller would. */
async function makeReady(client: Client, { metadata, spec }: Node): Promise<void> {
  const body = { spec: { taints: spec?.taints ?? null } };
  await client.patch(Nodes, metadata, { type: 'merge', body });
}

/** Opens a cluster with nothing in it but what every cluster has. */
export async function localCluster(): Promise<LocalCluster> {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const server = await ApiServer.open({ clock, random });
  const client = server.client();
  const informers = new Informers({ client, clock, random });
  const events: string[] = [];
  const deps: ControlPlaneDeps = {
    client,
    clock,
    random,
    informers,
    recorderFor: (component) => ({
      event: (about: KubeObject, { reason, message }: NewEvent) => {
        events.push(`${component} ${reason} ${refKey(about.metadata)}: ${message}`);
      },
    }),
  };
  const ending = new AbortController();
  const running: Promise<void>[] = [];
  return {
    clock,
    client,
    deps,
    events,
    async create(resource, ...objects) {
      for (const object of objects) {
        const created = await client.create(resource, object);
        if (resource.kind === 'Node') await makeReady(client, object as KubeObject as Node);
        const { status } = object as { status?: unknown };
        if (status === undefined) continue;
        const patch = { type: 'merge', body: { status } } as const;
        await client.patch(resource, created.metadata, patch, { subresource: 'status' });
      }
    },
    get: (resource, name, namespace) =>
      client.get(resource, { name, ...(resource.namespaced && { namespace: namespace ?? 'default' }) }),
    list: async (resource) => (await client.list(resource)).items,
    async run(...parts) {
      running.push(...parts.map((part) => part.run(ending.signal)));
      informers.start(ending.signal);
      await clock.settle();
    },
    async stop() {
      ending.abort();
      await Promise.all(running);
      await informers.stopped();
      await server.stop();
    },
  };
}
