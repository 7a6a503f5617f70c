import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import type { OverlayStore } from './overlay-store.ts';
import type { CloudProvider, NodeLifecycleHook, RepairPolicy, SupportedNodeClass } from './types.ts';

export interface OverlaidCloudProviderDeps {
  readonly cloud: CloudProvider;
  readonly overlays: Pick<OverlayStore, 'apply'>;
  /** The pool of that name. */
  readonly nodePool: (name: string) => NodePool | undefined;
}

/**
 * A provider whose instance types have the NodeOverlays applied (karpenter-core.md 4.12.7). Claims are launched among these
 * types too, so that the offering that was planned is the one that is bought.
 */
export class OverlaidCloudProvider implements CloudProvider {
  readonly name: string;
  readonly wellKnownLabels: ReadonlySet<string>;
  readonly restrictedLabelDomains: ReadonlySet<string>;
  readonly registrationHooks: readonly NodeLifecycleHook[];
  readonly reservedCapacityLabels: ReadonlySet<string>;
  readonly #deps: OverlaidCloudProviderDeps;
  readonly #cloud: CloudProvider;

  constructor(deps: OverlaidCloudProviderDeps) {
    this.#deps = deps;
    this.#cloud = deps.cloud;
    this.name = deps.cloud.name;
    this.wellKnownLabels = deps.cloud.wellKnownLabels;
    this.restrictedLabelDomains = deps.cloud.restrictedLabelDomains;
    this.registrationHooks = deps.cloud.registrationHooks ?? [];
    this.reservedCapacityLabels = deps.cloud.reservedCapacityLabels ?? new Set();
  }

  async start(signal: AbortSignal): Promise<void> {
    await this.#cloud.start?.(signal);
  }

  async getInstanceTypes(nodePool: NodePool, signal?: AbortSignal): Promise<readonly InstanceType[]> {
    return this.#deps.overlays.apply(nodePool.metadata.name, await this.#cloud.getInstanceTypes(nodePool, signal));
  }

  async create(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim> {
    const nodePool = this.#deps.nodePool(nodeClaim.metadata.labels?.[LABEL_NODEPOOL] ?? '');
    if (!this.#cloud.createAmong || !nodePool) return await this.#cloud.create(nodeClaim, signal);
    return await this.#cloud.createAmong(nodeClaim, await this.getInstanceTypes(nodePool, signal), signal);
  }

  async delete(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<void> {
    await this.#cloud.delete(nodeClaim, signal);
  }

  async get(providerID: string, signal?: AbortSignal): Promise<NodeClaim> {
    return await this.#cloud.get(providerID, signal);
  }

  async list(signal?: AbortSignal): Promise<readonly NodeClaim[]> {
    return await this.#cloud.list(signal);
  }

  async isDrifted(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<string> {
    return await this.#cloud.isDrifted(nodeClaim, signal);
  }

  repairPolicies(): readonly RepairPolicy[] {
    return this.#cloud.repairPolicies();
  }

  supportedNodeClasses(): readonly SupportedNodeClass[] {
    return this.#cloud.supportedNodeClasses();
  }
}
