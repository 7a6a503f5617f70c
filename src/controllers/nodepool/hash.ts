import { DRIFTED } from '../../apis/condition-types.ts';
import { ANNOTATION_NODEPOOL_HASH, ANNOTATION_NODEPOOL_HASH_VERSION } from '../../apis/labels.ts';
import type { NodePool } from '../../apis/node-pool.ts';
import { NODEPOOL_HASH_VERSION, nodePoolHash } from '../../apis/nodepool-hash.ts';
import { type ControllerSpec, reads, watch } from '../../kube/controller.ts';
import { NodeClaims, NodePools } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { BY_NODE_POOL } from '../indexes.ts';
import { isManagedClaim, isManagedPool } from '../managed.ts';
import { tolerant } from '../tolerant.ts';

type Deps = Pick<ControllerContext, 'nodePools' | 'nodeClaims' | 'cloud'>;

/** Stamps pools with the hash of their template, which claims are compared with to find drift (karpenter-core.md 9.2). */
export class NodePoolHash implements ControllerSpec {
  readonly name = 'nodepool.hash';
  readonly watches = [watch(NodePools), reads(NodeClaims)];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal) {
    const nodePool = this.#deps.nodePools.get(key);
    if (!nodePool || !isManagedPool(this.#deps.cloud, nodePool)) return;
    return await tolerant(async () => {
      const { annotations } = nodePool.metadata;
      if (annotations?.[ANNOTATION_NODEPOOL_HASH_VERSION] !== NODEPOOL_HASH_VERSION) {
        await this.#restampClaims(nodePool, signal);
      }
      await this.#deps.nodePools.patch(nodePool, stamped(nodePool, nodePoolHash(nodePool)), {}, signal);
      return undefined;
    });
  }

  /**
   * The hash covers other fields than when the claims were made, so theirs says nothing any more: they take the pool's.
   * A claim that had drifted keeps its hash, and so its drift.
   */
  async #restampClaims(nodePool: NodePool, signal: AbortSignal): Promise<void> {
    for (const claim of this.#deps.nodeClaims.byIndex(BY_NODE_POOL, nodePool.metadata.name)) {
      if (!isManagedClaim(this.#deps.cloud, claim)) continue;
      if (claim.metadata.annotations?.[ANNOTATION_NODEPOOL_HASH_VERSION] === NODEPOOL_HASH_VERSION) continue;
      const drifted = claim.status?.conditions?.some((condition) => condition.type === DRIFTED);
      const next = stamped(claim, drifted ? undefined : nodePoolHash(nodePool));
      await tolerant(async () => {
        await this.#deps.nodeClaims.patch(claim, next, {}, signal);
        return undefined;
      });
    }
  }
}

type Annotated = { readonly metadata: NodePool['metadata'] };

function stamped<T extends Annotated>(object: T, hash: string | undefined): T {
  const annotations = {
    ...object.metadata.annotations,
    [ANNOTATION_NODEPOOL_HASH_VERSION]: NODEPOOL_HASH_VERSION,
    ...(hash === undefined ? {} : { [ANNOTATION_NODEPOOL_HASH]: hash }),
  };
  return { ...object, metadata: { ...object.metadata, annotations } };
}
