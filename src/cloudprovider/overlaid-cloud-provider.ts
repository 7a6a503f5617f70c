import { LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import { ForwardingCloudProvider } from './forwarding-cloud-provider.ts';
import type { OverlayStore } from './overlay-store.ts';
import type { CloudProvider } from './types.ts';

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
export class OverlaidCloudProvider extends ForwardingCloudProvider {
  readonly #deps: OverlaidCloudProviderDeps;

  constructor(deps: OverlaidCloudProviderDeps) {
    super(deps.cloud);
    this.#deps = deps;
  }

  override async getInstanceTypes(nodePool: NodePool, signal?: AbortSignal): Promise<readonly InstanceType[]> {
    return this.#deps.overlays.apply(nodePool.metadata.name, await this.cloud.getInstanceTypes(nodePool, signal));
  }

  override async create(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim> {
    const nodePool = this.#deps.nodePool(nodeClaim.metadata.labels?.[LABEL_NODEPOOL] ?? '');
    if (!this.cloud.createAmong || !nodePool) return await this.cloud.create(nodeClaim, signal);
    return await this.cloud.createAmong(nodeClaim, await this.getInstanceTypes(nodePool, signal), signal);
  }
}
