import type { Client } from '../../src/kube/client.ts';
import type { Clock, Random } from '../../src/kube/clock.ts';
import type { ControllerSpec } from '../../src/kube/controller.ts';
import type { Informers } from '../../src/kube/informers.ts';
import type { Runnable } from '../../src/kube/manager.ts';
import { Addresses } from './addresses.ts';
import { NodeLeases } from './leases.ts';
import { nodeController } from './node-controller.ts';
import { DEFAULT_NODE_AGENT_OPTIONS, type NodeAgentOptions } from './options.ts';
import { podController } from './pod-controller.ts';

export interface NodeAgentDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly random: Random;
}

export interface NodeAgent {
  readonly controllers: readonly ControllerSpec[];
  readonly runnables: readonly Runnable[];
}

/**
 * The kubelets of all nodes annotated `kwok.x-k8s.io/node: fake`, in one: give its controllers and runnables to a
 * manager. Other nodes, and their pods, are never touched.
 */
export function nodeAgent(deps: NodeAgentDeps, options: Partial<NodeAgentOptions> = {}): NodeAgent {
  const shared = { ...deps, addresses: new Addresses(), options: { ...DEFAULT_NODE_AGENT_OPTIONS, ...options } };
  return {
    controllers: [nodeController(shared), podController(shared)],
    runnables: [new NodeLeases(shared)],
  };
}
