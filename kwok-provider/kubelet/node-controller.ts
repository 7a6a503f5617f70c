import type { Client } from '../../src/kube/client.ts';
import type { Clock } from '../../src/kube/clock.ts';
import { type ControllerSpec, type ReconcileResult, watch } from '../../src/kube/controller.ts';
import { isNotFound } from '../../src/kube/errors.ts';
import type { Informers } from '../../src/kube/informers.ts';
import type { Node } from '../../src/kube/objects.ts';
import { Nodes } from '../../src/kube/resources.ts';
import type { Addresses } from './addresses.ts';
import { registerVolumeLimit } from './csi-node.ts';
import { hasStarted, isFakeNode } from './fake-nodes.ts';
import { isReported, lastHeartbeat, reportedStatus } from './node-status.ts';
import type { NodeAgentOptions } from './options.ts';
import { OwnWrites } from './own-writes.ts';

export interface NodeControllerDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly addresses: Addresses;
  readonly options: NodeAgentOptions;
}

const WORKERS = 16;

/** The part of a kubelet that speaks for the node: it comes up, reports, and reports again from time to time. */
export function nodeController(deps: NodeControllerDeps): ControllerSpec {
  const { informers, addresses } = deps;
  const written = new OwnWrites();
  return {
    name: 'kubelet.nodes',
    workers: WORKERS,
    watches: [
      watch(Nodes, ({ object, type }) => {
        if (!isFakeNode(object)) return [];
        if (type === 'Deleted') {
          addresses.releaseNode(object.metadata.name);
          written.forget(object);
        } else if (object.spec.podCIDR !== undefined) addresses.adoptNode(object.metadata.name, object.spec.podCIDR);
        return type === 'Deleted' ? [] : [object.metadata.name];
      }),
    ],
    reconcile: async (key, signal) => {
      const node = informers.reader(Nodes).get(key);
      if (!node || !isFakeNode(node) || written.isAheadOf(node)) return undefined;
      return await report(deps, node, written, signal);
    },
  };
}

async function report(
  deps: NodeControllerDeps,
  node: Node,
  written: OwnWrites,
  signal: AbortSignal,
): Promise<ReconcileResult | undefined> {
  const { client, clock, addresses, options } = deps;
  const now = clock.now();
  const { name } = node.metadata;
  if (!hasStarted(node)) {
    const wait = Date.parse(node.metadata.creationTimestamp ?? '') + options.nodeReadyMs - now;
    if (wait > 0) return { requeueAfter: wait };
  } else if (isReported(node)) {
    const wait = lastHeartbeat(node) + options.heartbeatMs - now;
    if (wait > 0) return { requeueAfter: wait };
  }
  try {
    let current = node;
    if (node.spec.podCIDR === undefined) {
      const cidr = addresses.podCidr(name);
      const body = { spec: { podCIDR: cidr, podCIDRs: [cidr] } };
      current = await client.patch(Nodes, { name }, { type: 'merge', body }, {}, signal);
    }
    if (!hasStarted(node)) await registerVolumeLimit(client, node, signal);
    const status = reportedStatus(current, addresses.nodeIp(name), now);
    written.note(await client.update(Nodes, { ...current, status }, { subresource: 'status' }, signal));
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return { requeueAfter: options.heartbeatMs };
}
