import { lifetimeOf } from '../../apis/expire-after.ts';
import { type ControllerSpec, watch } from '../../kube/controller.ts';
import { NodeClaims } from '../../kube/resources.ts';
import type { ControllerContext } from '../context.ts';
import { isManagedClaim } from '../managed.ts';
import { tolerant } from '../tolerant.ts';
import { disruptedLabels } from './disrupted-labels.ts';

type Deps = Pick<ControllerContext, 'nodeClaims' | 'cloud' | 'clock' | 'metrics' | 'log'>;

/** Deletes claims that are older than their expireAfter, whatever budgets say (karpenter-core.md 5.10). */
export class NodeClaimExpiration implements ControllerSpec {
  readonly name = 'nodeclaim.expiration';
  readonly watches = [watch(NodeClaims)];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal) {
    const { nodeClaims, cloud, clock, metrics, log } = this.#deps;
    const claim = nodeClaims.get(key);
    if (!claim || !isManagedClaim(cloud, claim) || claim.metadata.deletionTimestamp) return;
    const lifetime = lifetimeOf(claim.spec);
    if (lifetime === undefined) return;
    const left = Date.parse(claim.metadata.creationTimestamp ?? '') + lifetime - clock.now();
    if (left > 0) return { requeueAfter: left };
    return await tolerant(async () => {
      await nodeClaims.delete(claim, signal);
      log.debug('deleting expired nodeclaim', { NodeClaim: { name: key } });
      metrics.count('nodeclaims_disrupted_total', disruptedLabels(claim, 'expired'));
      return undefined;
    });
  }
}
