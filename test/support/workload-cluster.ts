import { nodeAgent } from '../../kwok-provider/kubelet/node-agent.ts';
import type { NodeAgentOptions } from '../../kwok-provider/kubelet/options.ts';
import { ApiServer } from '../../src/apiserver/index.ts';
import { type ControlPlaneOptions, controlPlane } from '../../src/control-plane/control-plane.ts';
import { Scheduler } from '../../src/control-plane/scheduler/scheduler.ts';
import { EventWriter } from '../../src/events/event-writer.ts';
import type { Client, Resource } from '../../src/kube/client.ts';
import { Informers } from '../../src/kube/informers.ts';
import { Manager } from '../../src/kube/manager.ts';
import type { KubeObject, Node } from '../../src/kube/objects.ts';
import { Nodes } from '../../src/kube/resources.ts';
import { SeededRandom } from '../../src/operator/random.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';

/** An embedded API with everything a cluster needs but Karpenter, on a clock that moves when told. */
export interface WorkloadCluster {
  readonly client: Client;
  readonly clock: VirtualClock;
  /** What controllers failed with, `name key: message`. */
  readonly errors: readonly string[];
  list<T extends KubeObject>(resource: Resource<T>, labelSelector?: string): Promise<readonly T[]>;
  /** Adds nodes that the node agent runs. */
  addNodes(...names: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

export interface WorkloadClusterOptions extends ControlPlaneOptions {
  readonly agent?: Partial<NodeAgentOptions>;
}

export async function startWorkloadCluster(options: WorkloadClusterOptions = {}): Promise<WorkloadCluster> {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const api = await ApiServer.open({ clock, random });
  const client = api.client();
  const errors: string[] = [];
  const note = (what: string, error: unknown): void => {
    errors.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  };
  const informers = new Informers({ client, clock, random, onError: (error, { plural }) => note(plural, error) });
  const stopping = new AbortController();
  const events = new EventWriter({ client, clock, random, signal: stopping.signal });
  const recorderFor = (component: string, about: Resource) => events.for(component, about);
  const agent = nodeAgent({ client, informers, clock, random }, options.agent);
  const manager = new Manager({
    clock,
    informers,
    onReconciled: ({ controller, key, error }) => error !== undefined && note(`${controller} ${key}`, error),
  });
  const deps = { client, informers, clock, random, recorderFor };
  for (const spec of [...controlPlane(deps, options), ...agent.controllers]) manager.add(spec);
  manager.addRunnable(new Scheduler(deps));
  for (const runnable of agent.runnables) manager.addRunnable(runnable);
  const running = manager.run(stopping.signal);
  await clock.settle();
  return {
    client,
    clock,
    errors,
    list: async (resource, labelSelector) =>
      (await client.list(resource, labelSelector ? { labelSelector } : {})).items,
    addNodes: async (...names) => {
      for (const name of names) await client.create(Nodes, fakeNode(name));
      await clock.settle();
    },
    stop: async () => {
      stopping.abort();
      await running;
      await api.stop();
    },
  };
}

function fakeNode(name: string): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': 'zone-a' },
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
    },
    spec: {},
  };
}
