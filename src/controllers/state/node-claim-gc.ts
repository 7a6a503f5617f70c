import type { ControllerSpec } from '../../kube/controller.ts';
import { isNotFound } from '../../kube/errors.ts';
import { NodeClaims } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';

type Deps = Pick<ControllerContext, 'client' | 'cluster' | 'clock'>;

const AFTER_MS = 15_000;

/**
 * Drops claims from the picture that were gone before any watch saw them: each would keep the cluster out of sync, and so
 * everything else from being decided, for ever (karpenter-core.md 5.8.2).
 */
export class NodeClaimStateCollection implements ControllerSpec {
  readonly name = 'state.nodeclaimgc';
  readonly watches = [];
  readonly initialKeys = ['all'];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(_key: string, signal: AbortSignal) {
    const { client, cluster, clock } = this.#deps;
    for (const name of cluster.unconfirmedClaims(clock.now() - AFTER_MS)) {
      try {
        await client.get(NodeClaims, { name }, signal);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        cluster.deleteNodeClaim(name);
      }
    }
    return { requeueAfter: AFTER_MS };
  }
}
