import { type ControllerSpec, type Watch, watch } from '../../kube/controller.ts';
import { NodeClaims, Nodes } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { BY_PROVIDER_ID, nodesOfClaim } from '../indexes.ts';
import { isManagedClaim, nodeClassLabel } from '../managed.ts';
import { tolerant } from '../tolerant.ts';

type Deps = Pick<ControllerContext, 'nodes' | 'nodeClaims' | 'informers' | 'cloud'>;

/** Gives nodes of older versions the label with their node class (karpenter-core.md 5.11). */
export class NodeHydration implements ControllerSpec {
  readonly name = 'node.hydration';
  readonly watches: readonly Watch[];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.watches = [watch(Nodes), watch(NodeClaims, ({ object }) => nodesOfClaim(deps.informers, object))];
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
