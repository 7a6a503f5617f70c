import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { NodeClaims } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedClaim, nodeClassLabel } from '../managed.ts';
import { tolerant } from '../tolerant.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'cloud'>;

/** Gives claims of older versions the label with their node class (karpenter-core.md 5.11). */
export class NodeClaimHydration implements ControllerSpec {
  readonly name = 'nodeclaim.hydration';
  readonly watches = [watch(NodeClaims)];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodeClaims, cloud } = this.#deps;
    const claim = nodeClaims.get(key);
    if (!claim || !isManagedClaim(cloud, claim)) return;
    const { nodeClassRef } = claim.spec;
    const labels = { ...claim.metadata.labels, [nodeClassLabel(nodeClassRef)]: nodeClassRef.name };
    return await tolerant(async () => {
      await nodeClaims.patch(claim, { ...claim, metadata: { ...claim.metadata, labels } }, {}, signal);
      return undefined;
    });
  }
}
