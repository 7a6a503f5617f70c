import { ANNOTATION_NODEPOOL_HASH, ANNOTATION_NODEPOOL_HASH_VERSION } from '../../apis/labels.ts';
import { NODEPOOL_HASH_VERSION, nodePoolHash } from '../../apis/nodepool-hash.ts';
import { type ControllerSpec, reads, watch } from '../../kube/controller.ts';
import { NodeClaims, NodePools } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { HashStamp } from '../hash-stamp.ts';
import { BY_NODE_POOL } from '../indexes.ts';
import { isManagedClaim, isManagedPool } from '../managed.ts';
import { tolerant } from '../tolerant.ts';

type Deps = Pick<ControllerContext, 'nodePools' | 'nodeClaims' | 'cloud'>;

const STAMP = new HashStamp(
  { hash: ANNOTATION_NODEPOOL_HASH, version: ANNOTATION_NODEPOOL_HASH_VERSION },
  NODEPOOL_HASH_VERSION,
);

/** Stamps pools with the hash of their template, which claims are compared with to find drift (karpenter-core.md 9.2). */
export class NodePoolHash implements ControllerSpec {
  readonly name = 'nodepool.hash';
  readonly watches = [watch(NodePools), reads(NodeClaims)];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodePools, nodeClaims, cloud } = this.#deps;
    const nodePool = nodePools.get(key);
    if (!nodePool || !isManagedPool(cloud, nodePool)) return;
    return await tolerant(async () => {
      const hash = nodePoolHash(nodePool);
      if (!STAMP.hasVersion(nodePool)) {
        const claims = nodeClaims.byIndex(BY_NODE_POOL, key).filter((claim) => isManagedClaim(cloud, claim));
        await STAMP.restamp(nodeClaims, claims, hash, signal);
      }
      await nodePools.patch(nodePool, STAMP.stamped(nodePool, hash), {}, signal);
      return undefined;
    });
  }
}
