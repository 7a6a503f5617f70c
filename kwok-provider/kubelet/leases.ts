import type { Client } from '../../src/kube/client.ts';
import type { Clock } from '../../src/kube/clock.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../../src/kube/errors.ts';
import type { Informers } from '../../src/kube/informers.ts';
import type { Runnable } from '../../src/kube/manager.ts';
import type { Lease, Node } from '../../src/kube/objects.ts';
import { Leases, Nodes } from '../../src/kube/resources.ts';
import { formatMicroTimestamp } from '../../src/kube/timestamp.ts';
import { hasStarted, isFakeNode } from './fake-nodes.ts';
import type { NodeAgentOptions } from './options.ts';

const NAMESPACE = 'kube-node-lease';
const LEASE_SECONDS = 40;
/** Renewals are looked at so often, in milliseconds; each time those that are due. */
const TICK = 1_000;
const AT_ONCE = 16;
const MANY_NODES = 1_000;

interface Held {
  readonly lease: Lease;
  readonly renewedAt: number;
}

export interface NodeLeasesDeps {
  readonly client: Client;
  readonly informers: Informers;
  readonly clock: Clock;
  readonly options: NodeAgentOptions;
}

/** Renews the leases of all fake nodes, spread over the renewal interval, so that thousands cost a steady trickle. */
export class NodeLeases implements Runnable {
  readonly #deps: NodeLeasesDeps;
  readonly #held = new Map<string, Held>();
  /** Nodes that are up, by name, the longest unrenewed first. */
  readonly #nodes = new Map<string, Node>();

  constructor(deps: NodeLeasesDeps) {
    this.#deps = deps;
    deps.informers.for(Nodes).onChange(({ type, object }) => {
      const { name } = object.metadata;
      if (type !== 'Deleted' && isFakeNode(object) && hasStarted(object)) this.#nodes.set(name, object);
      else {
        this.#nodes.delete(name);
        this.#held.delete(name);
      }
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && this.#deps.options.leaseRenewMs > 0) {
      await this.#renewDue(signal);
      try {
        await this.#deps.clock.sleep(TICK, signal);
      } catch {
        // Only an abort ends a sleep early.
        return;
      }
    }
  }

  async #renewDue(signal: AbortSignal): Promise<void> {
    const now = this.#deps.clock.now();
    const { leaseRenewMs } = this.#deps.options;
    const interval = this.#nodes.size > MANY_NODES ? 2 * leaseRenewMs : leaseRenewMs;
    const due = [...this.#nodes.values()].filter(({ metadata }) => {
      const held = this.#held.get(metadata.name);
      return held === undefined || now - held.renewedAt >= interval - TICK / 2;
    });
    if (due.length === 0) return;
    // Nodes that came together would else be renewed together for ever.
    const share = Math.ceil((this.#nodes.size * TICK * 2) / interval);
    const queue = due
      .sort((a, b) => this.#renewedAt(a) - this.#renewedAt(b))
      .slice(0, Math.max(share, AT_ONCE))
      .values();
    const worker = async (): Promise<void> => {
      for (const node of queue) await this.#renew(node, signal).catch(() => this.#held.delete(node.metadata.name));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  #renewedAt(node: Node): number {
    return this.#held.get(node.metadata.name)?.renewedAt ?? 0;
  }

  async #renew(node: Node, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#deps;
    const { name } = node.metadata;
    const now = clock.now();
    const renewTime = formatMicroTimestamp(now);
    const old = this.#held.get(name)?.lease;
    const renewed = old
      ? await this.#update({ ...old, spec: { ...old.spec, renewTime } }, signal)
      : await this.#create(newLease(node, renewTime), signal);
    if (renewed === undefined || !this.#nodes.has(name)) this.#held.delete(name);
    else this.#held.set(name, { lease: renewed, renewedAt: now });

    // The one that an earlier run left.
    async function adopt(lease: Lease): Promise<Lease> {
      const existing = await client.get(Leases, { name, namespace: NAMESPACE }, signal);
      return client.update(Leases, { ...lease, metadata: { ...existing.metadata, ...owners(node) } }, {}, signal);
    }
    if (renewed === undefined && old === undefined) {
      this.#held.set(name, { lease: await adopt(newLease(node, renewTime)), renewedAt: now });
    }
  }

  /** Undefined when somebody else has changed or removed the lease. */
  async #update(lease: Lease, signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#deps.client.update(Leases, lease, {}, signal);
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #create(lease: Lease, signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#deps.client.create(Leases, lease, {}, signal);
    } catch (error) {
      if (isAlreadyExists(error)) return undefined;
      throw error;
    }
  }
}

function owners(node: Node): Pick<Lease['metadata'], 'ownerReferences'> {
  const { name, uid = '' } = node.metadata;
  return { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }] };
}

function newLease(node: Node, renewTime: string): Lease {
  const { name } = node.metadata;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: NAMESPACE, ...owners(node) },
    spec: { holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS, renewTime },
  };
}
