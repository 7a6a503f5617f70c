import { FINALIZER_TERMINATION } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { type ControllerSpec, type ReconcileResult, type Watch, watch } from '../../../kube/controller.ts';
import { NodeClaims, Nodes } from '../../../kube/resources.ts';
import type { ControllerContext } from '../../context.ts';
import { claimsOfNode } from '../../indexes.ts';
import { isManagedClaim } from '../../managed.ts';
import { soonest } from '../../soonest.ts';
import { tolerant } from '../../tolerant.ts';
import { ClaimDraft, type LifecycleStage } from './claim-draft.ts';
import { Finalize } from './finalize.ts';
import { Initialization } from './initialization.ts';
import { Launch } from './launch.ts';
import { Liveness } from './liveness.ts';
import { Registration } from './registration.ts';

/** Leads a claim from its launch to its end (karpenter-core.md 5.1). */
export class NodeClaimLifecycle implements ControllerSpec {
  readonly name = 'nodeclaim.lifecycle';
  readonly watches: readonly Watch[];
  readonly workers = 1000;
  readonly rateLimit = { base: 1000, max: 60_000 };
  readonly #deps: ControllerContext;
  readonly #launch: Launch;
  readonly #stages: readonly LifecycleStage[];
  readonly #finalize: Finalize;

  constructor(deps: ControllerContext) {
    this.#deps = deps;
    this.watches = [watch(NodeClaims), watch(Nodes, ({ object }) => claimsOfNode(deps.informers, object))];
    this.#launch = new Launch(deps);
    this.#stages = [this.#launch, new Registration(deps), new Initialization(deps), new Liveness(deps)];
    this.#finalize = new Finalize(deps);
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const claim = this.#deps.nodeClaims.get(key);
    if (!claim || !isManagedClaim(this.#deps.cloud, claim)) return undefined;
    return await tolerant(async () => {
      if (!claim.metadata.deletionTimestamp) return await this.#advance(claim, signal);
      this.#launch.forget(claim);
      return await this.#finalize.run(claim, signal);
    });
  }

  async #advance(known: NodeClaim, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { nodeClaims, clock } = this.#deps;
    // First of all: without it, a claim deleted during its launch would leave its instance behind.
    const claim = await nodeClaims.patch(known, withFinalizer(known), { lock: true }, signal);
    const draft = new ClaimDraft(claim, clock.now());
    const results: (ReconcileResult | undefined)[] = [];
    const errors: unknown[] = [];
    for (const stage of this.#stages) {
      try {
        results.push(await stage.reconcile(draft, signal));
      } catch (error) {
        errors.push(error);
      }
    }
    const next = draft.result;
    const patched = await nodeClaims.patch(claim, next, {}, signal);
    await nodeClaims.patchStatus(
      { ...patched, status: claim.status },
      { ...patched, status: next.status },
      { lock: true },
      signal,
    );
    const [error, ...more] = errors;
    if (more.length > 0) throw new AggregateError(errors, errors.map(String).join('; '));
    if (error !== undefined) throw error;
    return soonest(...results);
  }
}

function withFinalizer(claim: NodeClaim): NodeClaim {
  const finalizers = claim.metadata.finalizers ?? [];
  if (finalizers.includes(FINALIZER_TERMINATION)) return claim;
  return { ...claim, metadata: { ...claim.metadata, finalizers: [...finalizers, FINALIZER_TERMINATION] } };
}
