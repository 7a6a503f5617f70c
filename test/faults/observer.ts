import { ANNOTATION_TERMINATION_TIMESTAMP } from '../../src/apis/labels.ts';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { Client, Resource } from '../../src/kube/client.ts';
import type { Clock } from '../../src/kube/clock.ts';
import { ignoreNotFound } from '../../src/kube/errors.ts';
import type { KubeObject, Pod, PodDisruptionBudget } from '../../src/kube/objects.ts';
import { Events, Leases, NodeClaims, NodePools, Nodes, PodDisruptionBudgets, Pods } from '../../src/kube/resources.ts';
import { selects } from '../../src/kube/selectors.ts';
import { BudgetWatch } from './budget-watch.ts';

export const LEASE = { name: 'karpenter-leader-election', namespace: 'kube-system' };
/** Deletion times have whole seconds. */
const ROUNDING_MS = 1000;

interface PodRef {
  readonly name: string;
  readonly namespace?: string;
}

/** Watches the API and what controllers ask of it, and notes whatever must never happen. */
export class Observer {
  readonly violations: string[] = [];
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #budgets: BudgetWatch;
  /** Instances by the uid of their claim. */
  readonly #instances = new Map<string, Set<string>>();
  readonly #told = new Set<string>();
  #evictions = 0;
  #lastLaunch = 0;

  constructor(deps: { readonly client: Client; readonly clock: Clock }) {
    this.#client = deps.client;
    this.#clock = deps.clock;
    this.#budgets = new BudgetWatch({ clock: deps.clock, violated: (what) => this.violated(what) });
  }

  get launches(): number {
    return [...this.#instances.values()].reduce((sum, ids) => sum + ids.size, 0);
  }

  get evictions(): number {
    return this.#evictions;
  }

  /** When an instance was last bought. */
  get lastLaunch(): number {
    return this.#lastLaunch;
  }

  /** Follows pools, nodes and claims until the signal aborts. */
  start(signal: AbortSignal): void {
    void this.#follow(NodePools, signal, (pool, gone) => this.#budgets.updatePool(pool, gone));
    void this.#follow(Nodes, signal, (node, gone) => this.#budgets.updateNode(node, gone));
    void this.#follow(NodeClaims, signal, (claim, gone) => this.#budgets.updateClaim(claim, gone));
  }

  /** The cloud has bought an instance, whether or not anybody hears of it. */
  launched(claim: NodeClaim, created: NodeClaim): void {
    const uid = claim.metadata.uid ?? '';
    const ids = this.#instances.get(uid) ?? new Set();
    this.#instances.set(uid, ids);
    const id = created.status?.providerID ?? '';
    if (!ids.has(id)) this.#lastLaunch = this.#clock.now();
    ids.add(id);
    if (ids.size > 1) this.violated(`launched twice: claim ${claim.metadata.name} has ${[...ids].join(' and ')}`);
  }

  /** The API as one controller process reaches it, with a look at each of its writes. */
  clientOf(identity: string, api: Client): Client {
    const watched = async <T>(
      resource: Resource,
      signal: AbortSignal | undefined,
      write: () => Promise<T>,
    ): Promise<T> => {
      // The client itself refuses what is asked after the process has been told to stop.
      if (!signal?.aborted) await this.#checkLeader(identity, resource);
      return await write();
    };
    return {
      get: (...args) => api.get(...args),
      list: (...args) => api.list(...args),
      watch: (...args) => api.watch(...args),
      create: (resource, object, options, signal) =>
        watched(resource, signal, async () => {
          const write = () => api.create(resource, object, options, signal);
          return options?.subresource === 'eviction' ? await this.#evict(object.metadata, write) : await write();
        }),
      update: (resource, object, options, signal) =>
        watched(resource, signal, () => api.update(resource, object, options, signal)),
      patch: (resource, ref, patch, options, signal) =>
        watched(resource, signal, () => api.patch(resource, ref, patch, options, signal)),
      delete: (resource, ref, options, signal) =>
        watched(resource, signal, async () => {
          if (resource.plural === Pods.plural) await this.#checkPodDeletion(ref);
          await api.delete(resource, ref, options, signal);
        }),
    };
  }

  /** An eviction that succeeds though a budget has none left is one too many. */
  async #evict<T>(ref: PodRef, write: () => Promise<T>): Promise<T> {
    const exhausted = (await this.#budgetsOf(ref)).filter(({ status }) => !status?.disruptionsAllowed);
    const answer = await write();
    this.#evictions++;
    for (const { metadata } of exhausted) this.violated(`evicted against budget ${metadata.name}: ${ref.name}`);
    return answer;
  }

  async #checkLeader(identity: string, { plural }: Resource): Promise<void> {
    if (identity === '' || plural === Leases.plural || plural === Events.plural) return;
    const lease = await this.#client.get(Leases, LEASE).catch(ignoreNotFound);
    const holder = lease?.spec?.holderIdentity ?? '';
    if (holder !== identity && holder !== '') this.violated(`${identity} writes ${plural} while ${holder} leads`);
  }

  async #pod(ref: PodRef): Promise<Pod | undefined> {
    return await this.#client.get(Pods, ref).catch(ignoreNotFound);
  }

  async #budgetsOf(ref: PodRef): Promise<PodDisruptionBudget[]> {
    const pod = await this.#pod(ref);
    if (pod?.status?.phase !== 'Running' || pod.metadata.deletionTimestamp) return [];
    const { items } = await this.#client.list(PodDisruptionBudgets, { namespace: pod.metadata.namespace });
    return items.filter(({ spec }) => selects(spec.selector, pod.metadata.labels));
  }

  /** Only the end of a node's grace period lets the controller delete a pod. */
  async #checkPodDeletion(ref: PodRef): Promise<void> {
    const pod = await this.#pod(ref);
    if (!pod) return;
    const node = await this.#client.get(Nodes, { name: pod.spec.nodeName ?? '' }).catch(ignoreNotFound);
    const { items } = await this.#client.list(NodeClaims);
    const claim = items.find((c) => c.status?.providerID === node?.spec.providerID);
    const until = Date.parse(claim?.metadata.annotations?.[ANNOTATION_TERMINATION_TIMESTAMP] ?? '');
    const grace = (pod.spec.terminationGracePeriodSeconds ?? 0) * 1000;
    if (this.#clock.now() >= until - grace - ROUNDING_MS) return;
    this.violated(`deleted pod ${ref.name} of node ${node?.metadata.name ?? 'that is gone'} before its time`);
  }

  async #follow<T extends KubeObject>(
    resource: Resource<T>,
    signal: AbortSignal,
    seen: (object: T, gone: boolean) => void,
  ): Promise<void> {
    const { resourceVersion } = await this.#client.list(resource);
    for await (const event of this.#client.watch(resource, { resourceVersion }, signal)) {
      if (event.type === 'ERROR' || event.type === 'BOOKMARK') continue;
      seen(event.object, event.type === 'DELETED');
    }
  }

  /** Each only once: what has gone wrong shows in every event from then on. */
  violated(what: string): void {
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.violations.push(`${new Date(this.#clock.now()).toISOString().slice(11, 19)} ${what}`);
  }
}
