import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { Clock } from '../kube/clock.ts';
import type { Node, Pod } from '../kube/objects.ts';
import { nodeCapacity } from '../scheduling/existing-node.ts';
import { addResources } from '../scheduling/resource-list.ts';
import type { Resources } from '../scheduling/resources.ts';
import { isInitialized, nodePoolName } from '../scheduling/state-node.ts';
import type { StateNode } from '../scheduling/types.ts';
import { BoundPods } from './bound-pods.ts';
import { isLeaving } from './is-leaving.ts';
import { hasLaunchFailed } from './launch-failed.ts';
import { nodeId } from './node-id.ts';
import { NodePoolState } from './node-pool-state.ts';
import { podKey } from './pod-key.ts';
import { PodTimings } from './pod-timings.ts';

/** Consolidation is looked at again after this long even if nothing seems to have changed. */
const CONSOLIDATION_STALE_MS = 300_000;

export interface ClusterDeps {
  readonly clock: Clock;
}

/**
 * The in-memory picture of nodes and claims that scheduling and disruption decide on: both joined by providerID, with what
 * only we know of them (marks, nominations, claims just created). Watches feed it; see karpenter-core.md section 8. Each
 * `StateNode` it hands out is immutable, and the same object as long as nothing about the node has changed.
 */
export class Cluster {
  readonly pools = new NodePoolState();
  readonly podTimings: PodTimings;
  readonly #clock: Clock;
  readonly #nodes = new Map<string, StateNode>();
  readonly #unnoted = new Map<string, Node>();
  /** Marked by a running disruption command, as opposed to deleting for any reason. */
  readonly #marked = new Set<string>();
  readonly #idOfNode = new Map<string, string>();
  /** Empty for a claim that has not been launched. */
  readonly #idOfClaim = new Map<string, string>();
  readonly #boundPods = new BoundPods();
  /** Claims that were put in by hand, by when: the API may have lost them before any watch saw them. */
  readonly #unconfirmed = new Map<string, number>();
  /** Claims whose launch has failed and is being tried again. */
  readonly #stalled = new Map<string, NodeClaim>();
  readonly #plannedPods = new Map<string, ReadonlySet<string>>();
  #bufferPods: ReadonlyMap<string, number> = new Map();
  #totals: ReadonlyMap<string, Resources> | undefined;
  #changedAt = 0;
  #hydrated = false;
  /** Undefined while synced. */
  #unsyncedSince: number | undefined;

  constructor({ clock }: ClusterDeps) {
    this.#clock = clock;
    this.podTimings = new PodTimings({ clock });
    this.#noteSync();
  }

  /** Every node and every launched claim. */
  nodes(): readonly StateNode[] {
    return [...this.#nodes.values()];
  }

  /** Nodes that lack what would tell what they are. */
  unnotedNodes(): readonly Node[] {
    return [...this.#unnoted.values()];
  }

  node(providerID: string): StateNode | undefined {
    return this.#nodes.get(providerID);
  }

  nodeByName(name: string): StateNode | undefined {
    return this.#nodes.get(this.#idOfNode.get(name) ?? '');
  }

  hasClaim(name: string): boolean {
    return this.#idOfClaim.has(name);
  }

  /** Claims that are known here but have no providerID yet. */
  unlaunchedClaims(): readonly string[] {
    return [...this.#idOfClaim].filter(([, id]) => id === '').map(([name]) => name);
  }

  /** Pods bound to a node that have not run to their end. */
  podsOn(nodeName: string): readonly Pod[] {
    return this.#boundPods.on(nodeName);
  }

  /** To be called once everything that exists has been fed in. */
  markHydrated(): void {
    this.#hydrated = true;
    this.#noteSync();
  }

  /**
   * Whether decisions may be taken: everything has been seen once, and every claim has been launched, since what an
   * unlaunched claim will turn into is not known yet (karpenter-core.md 8.3). Unlike upstream, a claim whose launch keeps
   * failing holds up only the pods it is for (see `stalledPods`), not the whole cluster.
   */
  get synced(): boolean {
    if (!this.#hydrated) return false;
    for (const [name, id] of this.#idOfClaim) if (id === '' && !this.#stalled.has(name)) return false;
    return true;
  }

  /** Milliseconds for which it has not been synced; zero when it is. */
  get unsyncedFor(): number {
    return this.#unsyncedSince === undefined ? 0 : this.#clock.now() - this.#unsyncedSince;
  }

  #noteSync(): void {
    if (this.synced) this.#unsyncedSince = undefined;
    else this.#unsyncedSince ??= this.#clock.now();
  }

  /** Uids of pods whose claim can't be launched at present: they wait for it, or for its end. */
  stalledPods(): ReadonlySet<string> {
    return new Set([...this.#stalled.keys()].flatMap((name) => [...(this.#plannedPods.get(name) ?? [])]));
  }

  /** Claims that can't be launched at present, without those that are going. */
  stalledClaims(): readonly NodeClaim[] {
    return [...this.#stalled.values()].filter((claim) => !claim.metadata.deletionTimestamp);
  }

  /** Whether a claim of that name is there and no node is known for it. */
  isUnlaunched(claim: string): boolean {
    return this.#idOfClaim.get(claim) === '';
  }

  updateNode(node: Node): void {
    const id = nodeId(node);
    if (id === undefined) {
      this.#unnoted.set(node.metadata.name, node);
      return;
    }
    this.#unnoted.delete(node.metadata.name);
    const previous = this.#idOfNode.get(node.metadata.name);
    if (previous !== undefined && previous !== id) this.deleteNode(node.metadata.name);
    this.#idOfNode.set(node.metadata.name, id);
    this.#put(id, { ...this.#nodes.get(id), node });
  }

  deleteNode(name: string): void {
    this.#unnoted.delete(name);
    const id = this.#idOfNode.get(name);
    if (id === undefined) return;
    this.#idOfNode.delete(name);
    const state = this.#nodes.get(id);
    if (state?.nodeClaim) this.#put(id, { ...state, node: undefined });
    else this.#remove(id);
    this.markUnconsolidated();
  }

  /** Puts in a claim that was just created for these pods, without waiting for the watch to bring it. */
  expectNodeClaim(claim: NodeClaim, pods: readonly Pod[] = []): void {
    this.#plannedPods.set(claim.metadata.name, new Set(pods.map((pod) => pod.metadata.uid ?? '')));
    if (this.#idOfClaim.has(claim.metadata.name)) return;
    this.updateNodeClaim(claim);
    this.#unconfirmed.set(claim.metadata.name, this.#clock.now());
  }

  /** Claims put in by hand before `time` that no watch has brought since. */
  unconfirmedClaims(time: number): readonly string[] {
    return [...this.#unconfirmed].filter(([, at]) => at < time).map(([name]) => name);
  }

  updateNodeClaim(claim: NodeClaim): void {
    const { name } = claim.metadata;
    this.#unconfirmed.delete(name);
    const id = claim.status?.providerID ?? '';
    const previous = this.#idOfClaim.get(name);
    if (previous && id !== previous) this.deleteNodeClaim(name);
    this.#idOfClaim.set(name, id);
    if (id === '' && hasLaunchFailed(claim)) this.#stalled.set(name, claim);
    else this.#stalled.delete(name);
    if (id !== '') this.#put(id, { ...this.#nodes.get(id), nodeClaim: claim });
    this.#file(claim, id);
    this.#noteSync();
  }

  deleteNodeClaim(name: string): void {
    const id = this.#idOfClaim.get(name);
    this.#idOfClaim.delete(name);
    this.#unconfirmed.delete(name);
    this.#stalled.delete(name);
    this.#plannedPods.delete(name);
    this.pools.forget(name);
    this.#noteSync();
    if (!id) return;
    const state = this.#nodes.get(id);
    if (state?.node) this.#put(id, { ...state, nodeClaim: undefined });
    else this.#remove(id);
    this.markUnconsolidated();
  }

  updatePod(pod: Pod): void {
    if (this.#boundPods.update(pod)) this.markUnconsolidated();
  }

  deletePod(pod: Pod): void {
    this.#boundPods.delete(pod);
    this.podTimings.forget(podKey(pod));
    this.markUnconsolidated();
  }

  /** The nodes are on their way out, though nothing in the API says so yet. */
  markForDeletion(...providerIDs: readonly string[]): void {
    for (const id of providerIDs) this.#setMark(id, true);
  }

  unmarkForDeletion(...providerIDs: readonly string[]): void {
    for (const id of providerIDs) this.#setMark(id, false);
  }

  /** Pods have been promised the node until then, so it may not be disrupted. */
  nominate(providerID: string, until: number): void {
    const state = this.#nodes.get(providerID);
    if (state) this.#nodes.set(providerID, { ...state, nominatedUntil: until });
  }

  isNominated(providerID: string): boolean {
    return (this.#nodes.get(providerID)?.nominatedUntil ?? 0) > this.#clock.now();
  }

  /** How many capacity-buffer pods the last pass put on each node, by providerID. A node that lost its last one may go. */
  setBufferPods(counts: ReadonlyMap<string, number>): void {
    const before = this.#bufferPods;
    this.#bufferPods = counts;
    const changed = counts.size !== before.size || [...counts].some(([node, count]) => before.get(node) !== count);
    if (changed) this.markUnconsolidated();
  }

  bufferPods(providerID: string): number {
    return this.#bufferPods.get(providerID) ?? 0;
  }

  /** Capacity of the pool's nodes, without those on their way out; what limits are compared with. */
  poolResources(pool: string): Resources {
    this.#totals ??= this.#sumPools();
    return this.#totals.get(pool) ?? {};
  }

  markUnconsolidated(): void {
    // Strictly growing, so that two changes in one millisecond still differ.
    this.#changedAt = Math.max(this.#clock.now(), this.#changedAt + 1);
  }

  /** Changes whenever consolidation may have become possible, and at least every five minutes (karpenter-core.md 8.5). */
  consolidationState(): number {
    if (this.#clock.now() - this.#changedAt >= CONSOLIDATION_STALE_MS) this.markUnconsolidated();
    return this.#changedAt;
  }

  #put(id: string, parts: Omit<StateNode, 'markedForDeletion'>): void {
    const previous = this.#nodes.get(id);
    const state: StateNode = { ...parts, markedForDeletion: this.#marked.has(id) || isLeaving(parts) };
    this.#nodes.set(id, state);
    this.#totals = undefined;
    const changed =
      !previous ||
      isInitialized(previous) !== isInitialized(state) ||
      previous.markedForDeletion !== state.markedForDeletion;
    if (changed) this.markUnconsolidated();
  }

  #remove(id: string): void {
    this.#nodes.delete(id);
    this.#marked.delete(id);
    this.#totals = undefined;
  }

  #setMark(id: string, marked: boolean): void {
    const state = this.#nodes.get(id);
    if (!state) return;
    if (marked) this.#marked.add(id);
    else this.#marked.delete(id);
    this.#put(id, state);
    const claim = state.nodeClaim;
    if (!claim) return;
    const leaving = marked || isLeaving(state);
    this.pools.file(
      claim.metadata.labels?.[LABEL_NODEPOOL] ?? '',
      claim.metadata.name,
      leaving ? 'deleting' : 'active',
    );
  }

  #file(claim: NodeClaim, id: string): void {
    const pool = claim.metadata.labels?.[LABEL_NODEPOOL] ?? '';
    const leaving = this.#nodes.get(id)?.markedForDeletion ?? isLeaving({ nodeClaim: claim });
    // A claim that waits for its replacement stays so until it leaves, whatever else happens to the object.
    if (!leaving && this.pools.isPendingDisruption(claim.metadata.name)) return;
    this.pools.file(pool, claim.metadata.name, leaving ? 'deleting' : 'active');
  }

  #sumPools(): ReadonlyMap<string, Resources> {
    const totals = new Map<string, Resources>();
    for (const state of this.#nodes.values()) {
      const pool = nodePoolName(state);
      if (!pool || state.markedForDeletion) continue;
      totals.set(pool, addResources(totals.get(pool) ?? {}, nodeCapacity(state)));
    }
    return totals;
  }
}
