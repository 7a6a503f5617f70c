import type { Resource } from '../../kube/client.ts';
import type { ControllerSpec, ReconcileResult, Watch } from '../../kube/controller.ts';
import { ignoreNotFound, isConflict, isNotFound } from '../../kube/errors.ts';
import type { Change } from '../../kube/informer.ts';
import type { Informers } from '../../kube/informers.ts';
import type { KubeObject, OwnerReference } from '../../kube/objects.ts';
import type { ControlPlaneDeps } from '../control-plane-deps.ts';
import { deepEqual } from '../deep-equal.ts';
import type { ResourceDirectory } from '../resource-directory.ts';
import { inParallel } from '../writes/parallel.ts';
import { type GraphNode, graphNode, OwnershipGraph } from './graph.ts';
import { blocksDeletion, FOREGROUND, ORPHAN, type OwnerState, planCollection } from './plan.ts';

const WORKERS = 16;
/** An owner whose kind is unknown may only not be known yet. */
const ASK_AGAIN = 30_000;

/** Deletes what has lost its owners, lets foreground deletions end, and cuts the ties of orphans. Keys are uids. */
export function garbageCollector(deps: ControlPlaneDeps, directory: ResourceDirectory): ControllerSpec {
  const collector = new GarbageCollector(deps, directory);
  return {
    name: 'garbage-collector',
    workers: WORKERS,
    watches: [collector],
    reconcile: (key, signal) => collector.reconcile(key, signal),
  };
}

class GarbageCollector implements Watch {
  readonly #deps: ControlPlaneDeps;
  readonly #directory: ResourceDirectory;
  readonly #graph = new OwnershipGraph();
  /** Owners that the API says do not exist; a uid never comes back. */
  readonly #absent = new Set<string>();
  #add: (key: string) => void = () => undefined;

  constructor(deps: ControlPlaneDeps, directory: ResourceDirectory) {
    this.#deps = deps;
    this.#directory = directory;
  }

  subscribe(informers: Informers, add: (key: string) => void): { readonly synced: Promise<void> } {
    this.#add = add;
    const follow = async (): Promise<void> => {
      await this.#directory.discover();
      const syncs: Promise<void>[] = [];
      this.#directory.onResource((resource) => {
        const informer = informers.for(resource);
        informer.onChange((change) => this.#onChange(resource, change));
        syncs.push(informer.synced);
      });
      await Promise.all(syncs);
    };
    return { synced: follow() };
  }

  #onChange(resource: Resource, { type, object }: Change<KubeObject>): void {
    const node = graphNode(resource, object);
    if (type === 'Deleted') {
      this.#graph.remove(node.uid);
      this.#absent.delete(node.uid);
      for (const dependent of this.#graph.dependentsOf(node.uid)) this.#add(dependent.uid);
      for (const { uid } of node.owners) if (this.#graph.get(uid)?.deleting) this.#add(uid);
      return;
    }
    const old = this.#graph.put(node);
    const special = node.finalizers.some((finalizer) => finalizer === FOREGROUND || finalizer === ORPHAN);
    const ownersChanged = node.owners.length > 0 && !deepEqual(old?.owners, node.owners);
    if (ownersChanged || (node.deleting && special)) this.#add(node.uid);
    for (const { uid } of old?.owners ?? []) if (this.#graph.get(uid)?.deleting) this.#add(uid);
  }

  async reconcile(uid: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const node = this.#graph.get(uid);
    if (node === undefined) return undefined;
    try {
      if (!node.deleting) return await this.#collect(node, signal);
      if (node.finalizers.includes(ORPHAN)) await this.#orphan(node, signal);
      else if (node.finalizers.includes(FOREGROUND)) await this.#endForeground(node, signal);
    } catch (error) {
      if (isConflict(error)) return { requeue: true };
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  }

  async #collect(node: GraphNode, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const states = new Map<OwnerReference, OwnerState>();
    let unsure = false;
    for (const owner of node.owners) {
      const state = await this.#stateOf(owner, node, signal);
      if (state === undefined) unsure = true;
      states.set(owner, state ?? 'present');
    }
    const plan = planCollection(node, (owner) => states.get(owner) ?? 'present', this.#graph.dependentsOf(node.uid));
    const { client } = this.#deps;
    if (plan.action === 'unlink') await this.#setOwners(node, plan.owners, signal);
    if (plan.action === 'delete') {
      const options = { propagationPolicy: plan.policy, preconditions: { uid: node.uid } };
      await client.delete(node.resource, refOf(node), options, signal);
    }
    return unsure ? { requeueAfter: ASK_AGAIN } : undefined;
  }

  /** Undefined when the owner's kind is not known here. The API has the last word on an owner's absence. */
  async #stateOf(owner: OwnerReference, node: GraphNode, signal: AbortSignal): Promise<OwnerState | undefined> {
    const known = this.#graph.get(owner.uid);
    if (known) return known.deleting && known.finalizers.includes(FOREGROUND) ? 'waiting' : 'present';
    if (this.#absent.has(owner.uid)) return 'absent';
    const resource = this.#directory.ofOwner(owner);
    if (resource === undefined || (resource.namespaced && node.namespace === undefined)) return undefined;
    const namespace = resource.namespaced ? node.namespace : undefined;
    try {
      const found = await this.#deps.client.get(
        resource,
        { name: owner.name, ...(namespace ? { namespace } : {}) },
        signal,
      );
      if (found.metadata.uid === owner.uid) return 'present';
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    this.#absent.add(owner.uid);
    return 'absent';
  }

  async #orphan(node: GraphNode, signal: AbortSignal): Promise<void> {
    await inParallel(this.#graph.dependentsOf(node.uid), async (dependent) => {
      const owners = dependent.owners.filter(({ uid }) => uid !== node.uid);
      await this.#setOwners(dependent, owners, signal).catch(ignoreNotFound);
    });
    await this.#dropFinalizer(node, ORPHAN, signal);
  }

  async #endForeground(node: GraphNode, signal: AbortSignal): Promise<void> {
    const dependents = this.#graph.dependentsOf(node.uid);
    for (const dependent of dependents) if (!dependent.deleting) this.#add(dependent.uid);
    if (!dependents.some((dependent) => blocksDeletion(dependent, node)))
      await this.#dropFinalizer(node, FOREGROUND, signal);
  }

  async #setOwners(node: GraphNode, owners: readonly OwnerReference[], signal: AbortSignal): Promise<void> {
    const body = { metadata: { uid: node.uid, ownerReferences: owners } };
    await this.#deps.client.patch(node.resource, refOf(node), { type: 'merge', body }, {}, signal);
  }

  async #dropFinalizer(node: GraphNode, finalizer: string, signal: AbortSignal): Promise<void> {
    const { client } = this.#deps;
    const object = await client.get(node.resource, refOf(node), signal);
    if (object.metadata.uid !== node.uid) return;
    const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
    const { resourceVersion } = object.metadata;
    const body = { metadata: { uid: node.uid, resourceVersion, finalizers } };
    await client.patch(node.resource, refOf(node), { type: 'merge', body }, {}, signal);
  }
}

function refOf({ name, namespace }: GraphNode): { readonly name: string; readonly namespace?: string } {
  return namespace === undefined ? { name } : { name, namespace };
}
