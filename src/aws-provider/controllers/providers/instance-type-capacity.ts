import { LABEL_REGISTERED } from '../../../apis/labels.ts';
import type { ControllerContext } from '../../../controllers/context.ts';
import { BY_PROVIDER_ID } from '../../../controllers/indexes.ts';
import { isManagedNode } from '../../../controllers/managed.ts';
import { type ControllerSpec, reads, watch } from '../../../kube/controller.ts';
import type { Change } from '../../../kube/informer.ts';
import type { Node } from '../../../kube/objects.ts';
import { NodeClaims, Nodes } from '../../../kube/resources.ts';
import type { InstanceTypeProvider, NodeClassReader } from '../../providers/contracts.ts';

type Deps = Pick<ControllerContext, 'nodes' | 'nodeClaims' | 'cloud'> & {
  readonly nodeClasses: NodeClassReader;
  readonly instanceTypes: Pick<InstanceTypeProvider, 'updateCapacityFromNode'>;
};

/** Learns from each node that registers how much memory its type has in truth (aws-provider.md section 22). */
export class InstanceTypeCapacityController implements ControllerSpec {
  readonly name = 'providers.instancetype.capacity';
  readonly watches = [
    watch(Nodes, (change) => (hasRegistered(change) ? [change.object.metadata.name] : [])),
    reads(NodeClaims),
  ];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<void> {
    const { nodes, nodeClaims, cloud, nodeClasses, instanceTypes } = this.#deps;
    const node = nodes.get(key);
    if (!node?.spec.providerID || !isManagedNode(cloud, node)) return;
    const [claim, ...more] = nodeClaims.byIndex(BY_PROVIDER_ID, node.spec.providerID);
    if (!claim || more.length > 0) return;
    const nodeClass = await nodeClasses.get(claim.spec.nodeClassRef.name, signal);
    if (nodeClass) instanceTypes.updateCapacityFromNode(node, claim, nodeClass);
  }
}

/** Once for each node: when it does so, or when it had done so before anybody looked. */
function hasRegistered({ type, object, old }: Change<Node>): boolean {
  const before = old?.metadata.labels?.[LABEL_REGISTERED];
  return type !== 'Deleted' && !before && object.metadata.labels?.[LABEL_REGISTERED] === 'true';
}
