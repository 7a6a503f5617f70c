import { INITIALIZED, REGISTERED } from '../../../apis/condition-types.ts';
import { LABEL_INITIALIZED } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { Node } from '../../../kube/objects.ts';
import { ResourceSlices } from '../../../kube/resources.ts';
import type { ControllerContext } from '../../context.ts';
import { BY_PROVIDER_ID } from '../../indexes.ts';
import type { ClaimDraft, LifecycleStage } from './claim-draft.ts';
import { nodeOfSlice, unpublishedDriver } from './dra-drivers.ts';
import { initializationObstacles } from './initialization-obstacles.ts';

type Deps = Pick<ControllerContext, 'informers' | 'nodes' | 'log'> & { readonly ignoreDRARequests: boolean };

/** Waits until pods can run on the node: ready, untainted, with all that was asked for (karpenter-core.md 5.4). */
export class Initialization implements LifecycleStage {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(draft: ClaimDraft, signal: AbortSignal) {
    const { nodes, log } = this.#deps;
    const { claim, conditions } = draft;
    if (!conditions.isUnknown(INITIALIZED)) {
      draft.restamp(INITIALIZED);
      return undefined;
    }
    if (!conditions.isTrue(REGISTERED)) return undefined;
    const [node, ...more] = nodes.byIndex(BY_PROVIDER_ID, claim.status?.providerID ?? '');
    if (!node || more.length > 0) {
      conditions.setUnknown(INITIALIZED, 'NodeNotFound', 'Node not registered with cluster');
      return undefined;
    }
    const [obstacle] = initializationObstacles(claim, node);
    if (obstacle) {
      conditions.setUnknown(INITIALIZED, obstacle.reason, obstacle.message);
      return undefined;
    }
    const driver = this.#unpublishedDriver(claim, node);
    if (driver !== undefined) {
      const message = `DRA driver "${driver}" has not published a complete resource pool`;
      conditions.setUnknown(INITIALIZED, 'DRADriverPoolsNotPublished', message);
      return undefined;
    }
    const labels = { ...node.metadata.labels, [LABEL_INITIALIZED]: 'true' };
    await nodes.patch(node, { ...node, metadata: { ...node.metadata, labels } }, {}, signal);
    log.info('initialized nodeclaim', {
      NodeClaim: { name: claim.metadata.name },
      Node: { name: node.metadata.name },
      'provider-id': claim.status?.providerID,
      allocatable: node.status?.allocatable,
    });
    conditions.setTrue(INITIALIZED);
    return undefined;
  }

  #unpublishedDriver(claim: NodeClaim, node: Node): string | undefined {
    const { ignoreDRARequests, informers } = this.#deps;
    if (ignoreDRARequests) return undefined;
    const slices = informers.reader(ResourceSlices).list();
    return unpublishedDriver(
      claim,
      slices.filter((slice) => nodeOfSlice(slice) === node.metadata.name),
    );
  }
}
