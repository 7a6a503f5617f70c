import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { Nodes } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { BY_PROVIDER_ID } from '../indexes.ts';
import { isManagedClaim, nodeClassLabel } from '../managed.ts';
import { tolerant } from '../tolerant.ts';

type Deps = Pick<ControllerContext, 'nodes' | 'nodeClaims' | 'cloud'>;

/** Gives nodes of older versions the label with their node class (karpenter-core.md 5.11). */
export class NodeHydration implements ControllerSpec {
  readonly name = 'node.hydration';
  readonly watches = [watch(Nodes)];
  readonly workers = 10;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodes, nodeClaims, cloud } = this.#deps;
    const node = nodes.get(key);
    if (!node?.spec.providerID) return;
    const [claim, ...more] = nodeClaims.byIndex(BY_PROVIDER_ID, node.spec.providerID);
    if (!claim || more.length > 0 || !isManagedClaim(cloud, claim)) return;
    const { nodeClassRef } = claim.spec;
    const labels = { ...node.metadata.labels, [nodeClassLabel(nodeClassRef)]: nodeClassRef.name };
    return await tolerant(async () => {
      await nodes.patch(node, { ...node, metadata: { ...node.metadata, labels } }, {}, signal);
      return undefined;
    });
  }
}
