import { NODE_CLAIM_CONDITIONS } from '../../../apis/condition-types.ts';
import { FINALIZER_TERMINATION } from '../../../apis/labels.ts';
import type { NodeClaim, NodeClaimStatus } from '../../../apis/node-claim.ts';
import { type ControllerSpec, type ReconcileResult, type Watch, watch } from '../../../kube/controller.ts';
import { isConflict } from '../../../kube/errors.ts';
import type { Informers } from '../../../kube/informers.ts';
import type { ResourceSlice } from '../../../kube/objects.ts';
import { NodeClaims, Nodes, ResourceSlices } from '../../../kube/resources.ts';
import { combinedError } from '../../combined-error.ts';
import type { ControllerContext } from '../../context.ts';
import { claimsOfNode } from '../../indexes.ts';
import { isManagedClaim } from '../../managed.ts';
import { soonest } from '../../soonest.ts';
import { tolerant } from '../../tolerant.ts';
import { ClaimDraft, type LifecycleStage } from './claim-draft.ts';
import { nodeOfSlice } from './dra-drivers.ts';
import { Finalize } from './finalize.ts';
import { Initialization } from './initialization.ts';
import { Launch } from './launch.ts';
import { Liveness } from './liveness.ts';
import { Registration } from './registration.ts';

/** What the lifecycle is built from. */
export interface LifecycleDeps extends ControllerContext {
  /** Don't wait for the drivers of devices that the claim's pods want. */
  readonly ignoreDRARequests: boolean;
}

const ATTEMPTS = 5;

/** Leads a claim from its launch to its end (karpenter-core.md 5.1). */
export class NodeClaimLifecycle implements ControllerSpec {
  readonly name = 'nodeclaim.lifecycle';
  readonly watches: readonly Watch[];
  readonly #deps: ControllerContext;
  readonly #launch: Launch;
  readonly #stages: readonly LifecycleStage[];
  readonly #finalize: Finalize;

  constructor(deps: LifecycleDeps) {
    this.#deps = deps;
    this.watches = [
      watch(NodeClaims),
      watch(Nodes, ({ object }) => claimsOfNode(deps.informers, object)),
      ...(deps.ignoreDRARequests ? [] : [watch(ResourceSlices, ({ object }) => claimsOfSlice(deps.informers, object))]),
    ];
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

  /**
   * What the stages did has been done, so their result is written even if somebody else has written meanwhile: on top of
   * the other's conditions, not instead of them.
   */
  async #writeStatus(before: NodeClaim, status: NodeClaim['status'], signal: AbortSignal): Promise<void> {
    const { nodeClaims, client } = this.#deps;
    let base = before;
    let next = status;
    for (let attempt = 1; ; attempt++) {
      try {
        await nodeClaims.patchStatus(base, { ...base, status: next }, { lock: true }, signal);
        return;
      } catch (error) {
        if (!isConflict(error) || attempt === ATTEMPTS) throw error;
        base = await client.get(NodeClaims, { name: before.metadata.name }, signal);
        next = withLifecycle(base.status, status);
      }
    }
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
    await this.#writeStatus({ ...patched, status: claim.status }, next.status, signal);
    const error = combinedError(errors);
    if (error !== undefined) throw error;
    return soonest(...results);
  }
}

function claimsOfSlice(informers: Informers, slice: ResourceSlice): readonly string[] {
  const node = informers.reader(Nodes).get(nodeOfSlice(slice) ?? '');
  return node ? claimsOfNode(informers, node) : [];
}

/** The newest status, with the parts that the lifecycle decides on. */
function withLifecycle(newest: NodeClaimStatus | undefined, ours: NodeClaimStatus | undefined): NodeClaimStatus {
  const owned: readonly string[] = [NODE_CLAIM_CONDITIONS.root, ...NODE_CLAIM_CONDITIONS.dependents];
  const others = newest?.conditions?.filter(({ type }) => !owned.includes(type)) ?? [];
  const conditions = ours?.conditions?.filter(({ type }) => owned.includes(type)) ?? [];
  const { lastPodEventTime } = newest ?? {};
  return { ...ours, ...(lastPodEventTime ? { lastPodEventTime } : {}), conditions: [...others, ...conditions] };
}

function withFinalizer(claim: NodeClaim): NodeClaim {
  const finalizers = claim.metadata.finalizers ?? [];
  if (finalizers.includes(FINALIZER_TERMINATION)) return claim;
  return { ...claim, metadata: { ...claim.metadata, finalizers: [...finalizers, FINALIZER_TERMINATION] } };
}
