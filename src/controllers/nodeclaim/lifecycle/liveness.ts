import { LAUNCHED, REGISTERED } from '../../../apis/condition-types.ts';
import type { ControllerContext } from '../../context.ts';
import { disruptedLabels } from '../disrupted-labels.ts';
import type { ClaimDraft, LifecycleStage } from './claim-draft.ts';
import { LAUNCH_MS, REGISTRATION_MS } from './deadlines.ts';
import { recordRegistration } from './pool-health.ts';

type Deps = Pick<ControllerContext, 'clock' | 'nodeClaims' | 'nodePools' | 'registrationHealth' | 'metrics' | 'log'>;

/** Gives up claims that get no instance, or whose instance never joins (karpenter-core.md 5.5). */
export class Liveness implements LifecycleStage {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(draft: ClaimDraft, signal: AbortSignal) {
    const { nodeClaims, clock, metrics, log } = this.#deps;
    const { claim, conditions } = draft;
    if (conditions.isTrue(REGISTERED)) return undefined;
    const launched = conditions.isTrue(LAUNCHED);
    const [since, allowed] = launched
      ? [conditions.since(REGISTERED), REGISTRATION_MS]
      : [conditions.since(LAUNCHED), LAUNCH_MS];
    const left = allowed - (clock.now() - since);
    if (left > 0) return { requeueAfter: left };
    const { reason = '', message = '' } = conditions.get(LAUNCHED) ?? {};
    const failure = launched
      ? { reason: 'RegistrationFailed', message: 'Failed to register node' }
      : { reason, message };
    await recordRegistration(this.#deps, claim, failure, signal);
    await nodeClaims.delete(claim, signal);
    const cause = launched ? 'registration_timeout' : 'launch_timeout';
    log.debug('terminating due to timeout', {
      NodeClaim: { name: claim.metadata.name },
      timeout: allowed,
      reason: cause,
    });
    metrics.count('nodeclaims_disrupted_total', disruptedLabels(claim, cause));
    return undefined;
  }
}
