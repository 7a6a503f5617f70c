import { parseDuration } from '../src/apis/duration.ts';
import type { NodeClaim } from '../src/apis/node-claim.ts';
import type { NodePool } from '../src/apis/node-pool.ts';
import {
  InsufficientCapacityError,
  NodeClaimNotFoundError,
  NodeClassNotReadyError,
} from '../src/cloudprovider/errors.ts';
import { onSale } from '../src/cloudprovider/on-sale.ts';
import type { CloudProvider, RepairPolicy, SupportedNodeClass } from '../src/cloudprovider/types.ts';
import type { Client } from '../src/kube/client.ts';
import type { Clock } from '../src/kube/clock.ts';
import { findCondition } from '../src/kube/conditions.ts';
import { isNotFound } from '../src/kube/errors.ts';
import type { Node } from '../src/kube/objects.ts';
import { NodeClaims, Nodes } from '../src/kube/resources.ts';
import type { InstanceType } from '../src/scheduling/instance-type.ts';
import { KWOK_GROUP, type KWOKNodeClass, KwokNodeClasses } from './apis/kwok-node-class.ts';
import { chooseOffering } from './choose-offering.ts';
import { fakeNode, launchedNode, PROVIDER_ID_PREFIX, toNodeClaim } from './fake-node.ts';
import { wellKnownLabelsOf } from './instance-types/well-known-labels.ts';
import { Launches } from './launches.ts';
import { Market, soldOutOf } from './market/market.ts';

const REPAIR_AFTER_MS = 600_000;
/** So long a node class is taken for what it was when types are asked for, which every pass does for every pool. */
const CLASS_KNOWN_MS = 1_000;

export interface KwokCloudProviderDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly instanceTypes: readonly InstanceType[];
}

/** What the provider says of itself whatever the cluster. */
export function kwokFacts(
  instanceTypes: readonly InstanceType[],
): Pick<CloudProvider, 'name' | 'wellKnownLabels' | 'supportedNodeClasses'> {
  const { group, version, kind, plural } = KwokNodeClasses;
  return {
    name: 'kwok',
    wellKnownLabels: wellKnownLabelsOf(instanceTypes),
    supportedNodeClasses: () => [{ group, version, kind, plural }],
  };
}

/**
 * The fake cloud: an instance is a Node object that appears some time after it was bought, and that a node agent (ours, or
 * a real kwok) keeps alive (karpenter-core.md section 13). Launching is idempotent: what a claim gets follows from its
 * name, uid and spec.
 */
export class KwokCloudProvider implements CloudProvider {
  readonly name: string;
  readonly wellKnownLabels: ReadonlySet<string>;
  readonly supportedNodeClasses: () => readonly SupportedNodeClass[];
  readonly restrictedLabelDomains: ReadonlySet<string> = new Set([KWOK_GROUP]);
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #launches: Launches;
  readonly #instanceTypes: readonly InstanceType[];
  readonly #market: Market;
  readonly #classes = new Map<string, { readonly at: number; readonly nodeClass: KWOKNodeClass | undefined }>();

  constructor(deps: KwokCloudProviderDeps) {
    this.#client = deps.client;
    this.#clock = deps.clock;
    this.#launches = new Launches(deps);
    this.#instanceTypes = deps.instanceTypes;
    this.#market = new Market(deps.instanceTypes);
    const { name, wellKnownLabels, supportedNodeClasses } = kwokFacts(deps.instanceTypes);
    this.name = name;
    this.wellKnownLabels = wellKnownLabels;
    this.supportedNodeClasses = supportedNodeClasses;
  }

  /** Takes up launches that a stopped controller had begun: claims with a providerID but no Node. */
  async start(signal: AbortSignal): Promise<void> {
    this.#launches.open();
    signal.addEventListener('abort', () => void this.#launches.cancelAll(), { once: true });
    const [claims, nodes] = await Promise.all([
      this.#client.list(NodeClaims, {}, signal),
      this.#client.list(Nodes, {}, signal),
    ]);
    const present = new Set(nodes.items.map((node) => node.spec.providerID));
    for (const claim of claims.items) {
      const id = claim.status?.providerID;
      const registered = claim.status?.conditions?.some((c) => c.type === 'Registered' && c.status === 'True');
      if (!id?.startsWith(PROVIDER_ID_PREFIX) || claim.metadata.deletionTimestamp || registered) continue;
      if (!present.has(id)) await this.#resume(claim, signal);
    }
  }

  async create(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim> {
    return await this.#launch(nodeClaim, this.#instanceTypes, signal);
  }

  async createAmong(nodeClaim: NodeClaim, types: readonly InstanceType[], signal?: AbortSignal): Promise<NodeClaim> {
    return await this.#launch(nodeClaim, types, signal);
  }

  async #launch(
    nodeClaim: NodeClaim,
    types: readonly InstanceType[],
    signal: AbortSignal | undefined,
  ): Promise<NodeClaim> {
    const nodeClass = await this.#nodeClass(nodeClaim, signal);
    const ready = findCondition(nodeClass, 'Ready');
    if (ready?.status === 'False') throw new NodeClassNotReadyError(ready.message ?? '');
    // What is sold out since the claim was decided on can't be bought.
    const left = onSale(types, soldOutOf(nodeClass), this.#clock.now());
    const node = fakeNode(nodeClaim, chooseOffering(nodeClaim, byName(left)));
    this.#launches.begin(nodeClaim, node, parseDuration(nodeClass.spec?.nodeRegistrationDelay ?? '0s') ?? 0);
    return toNodeClaim(node);
  }

  async delete(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<void> {
    const id = nodeClaim.status?.providerID ?? '';
    await this.#launches.cancel(id);
    const node = id === '' ? undefined : await this.#node(id, signal);
    if (node && !node.metadata.deletionTimestamp) {
      await this.#client.delete(Nodes, { name: node.metadata.name }, {}, signal);
    }
    throw new NodeClaimNotFoundError('instance terminated');
  }

  async get(providerID: string, signal?: AbortSignal): Promise<NodeClaim> {
    const node = this.#launches.find(providerID) ?? (await this.#node(providerID, signal));
    if (!node || node.metadata.deletionTimestamp) throw new NodeClaimNotFoundError('nodeclaim not found');
    return toNodeClaim(node);
  }

  async list(signal?: AbortSignal): Promise<readonly NodeClaim[]> {
    const { items } = await this.#client.list(Nodes, {}, signal);
    const ours = items.filter((node) => node.spec.providerID?.startsWith(PROVIDER_ID_PREFIX));
    const known = new Set(ours.map((node) => node.metadata.name));
    return [...ours, ...this.#launches.nodes().filter((node) => !known.has(node.metadata.name))].map(toNodeClaim);
  }

  async getInstanceTypes(nodePool: NodePool, signal?: AbortSignal): Promise<readonly InstanceType[]> {
    const now = this.#clock.now();
    return this.#market.typesOf(
      await this.#knownClass(nodePool.spec.template.spec.nodeClassRef.name, now, signal),
      now,
    );
  }

  async isDrifted(): Promise<string> {
    return '';
  }

  repairPolicies(): readonly RepairPolicy[] {
    return (['False', 'Unknown'] as const).map((conditionStatus) => ({
      conditionType: 'Ready',
      conditionStatus,
      tolerationDurationMs: REPAIR_AFTER_MS,
    }));
  }

  async #nodeClass(claim: NodeClaim, signal?: AbortSignal): Promise<KWOKNodeClass> {
    const { name } = claim.spec.nodeClassRef;
    try {
      return await this.#client.get(KwokNodeClasses, { name }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      throw new InsufficientCapacityError(`resolving node class from nodeclaim, ${name} not found`, { cause: error });
    }
  }

  /** Undefined when there is none: its pool is told elsewhere. */
  async #knownClass(name: string, now: number, signal: AbortSignal | undefined): Promise<KWOKNodeClass | undefined> {
    const known = this.#classes.get(name);
    if (known && now - known.at < CLASS_KNOWN_MS) return known.nodeClass;
    const nodeClass = await this.#client.get(KwokNodeClasses, { name }, signal).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    this.#classes.set(name, { at: now, nodeClass });
    return nodeClass;
  }

  async #node(providerID: string, signal?: AbortSignal): Promise<Node | undefined> {
    if (!providerID.startsWith(PROVIDER_ID_PREFIX)) return undefined;
    try {
      return await this.#client.get(Nodes, { name: providerID.slice(PROVIDER_ID_PREFIX.length) }, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #resume(claim: NodeClaim, signal: AbortSignal): Promise<void> {
    const nodeClass = await this.#nodeClass(claim, signal).catch((): KWOKNodeClass => ({ metadata: { name: '' } }));
    const launched = findCondition(claim, 'Launched')?.lastTransitionTime;
    const elapsed = launched ? this.#clock.now() - Date.parse(launched) : 0;
    const delay = parseDuration(nodeClass.spec?.nodeRegistrationDelay ?? '0s') ?? 0;
    this.#launches.begin(claim, launchedNode(claim), Math.max(delay - elapsed, 0));
  }
}

const byName = (types: readonly InstanceType[]): ReadonlyMap<string, InstanceType> =>
  new Map(types.map((type) => [type.name, type]));
