import { READY, REGISTERED } from '../../apis/condition-types.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { conditionIsTrue } from '../../kube/conditions.ts';
import type { ControllerSpec } from '../../kube/controller.ts';
import type { ControllerContext } from '../context.ts';
import { inParallel } from '../in-parallel.ts';
import { BY_PROVIDER_ID } from '../indexes.ts';
import { isManagedClaim } from '../managed.ts';
import { tolerant } from '../tolerant.ts';
import { disruptedLabels } from './disrupted-labels.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'nodes' | 'cloud' | 'metrics' | 'log'>;

const PERIOD_MS = 120_000;
const PARALLEL = 20;

/** Deletes claims whose instance the provider no longer has (karpenter-core.md 5.8). */
export class NodeClaimGarbageCollection implements ControllerSpec {
  readonly name = 'nodeclaim.garbagecollection';
  readonly watches = [];
  readonly initialKeys = ['all'];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(_key: string, signal: AbortSignal) {
    const { nodeClaims, cloud } = this.#deps;
    // Claims before instances: one that is launched in between must not look orphaned.
    const claims = nodeClaims.list().filter((claim) => this.#isCandidate(claim));
    const instances = await cloud.list(signal);
    const present = new Set(
      instances.filter((i) => !i.metadata.deletionTimestamp).map((instance) => instance.status?.providerID),
    );
    const orphans = claims.filter((claim) => !present.has(claim.status?.providerID));
    await inParallel(PARALLEL, orphans, (claim) => this.#collect(claim, signal));
    return { requeueAfter: PERIOD_MS };
  }

  /** Claims that never registered are left to their timeout. */
  #isCandidate(claim: NodeClaim): boolean {
    return (
      isManagedClaim(this.#deps.cloud, claim) && conditionIsTrue(claim, REGISTERED) && !claim.metadata.deletionTimestamp
    );
  }

  async #collect(claim: NodeClaim, signal: AbortSignal): Promise<void> {
    const { nodeClaims, nodes, metrics, log } = this.#deps;
    // A node that reports ready is alive, whatever the provider says.
    const [node, ...more] = nodes.byIndex(BY_PROVIDER_ID, claim.status?.providerID ?? '');
    if (node && more.length === 0 && conditionIsTrue(node, READY)) return;
    await tolerant(async () => {
      await nodeClaims.delete(claim, signal);
      log.debug('garbage collecting nodeclaim with no cloudprovider representation', {
        NodeClaim: { name: claim.metadata.name },
        Node: { name: claim.status?.nodeName },
        'provider-id': claim.status?.providerID,
      });
      metrics.count('nodeclaims_disrupted_total', disruptedLabels(claim, 'garbage_collected'));
      return undefined;
    });
  }
}
