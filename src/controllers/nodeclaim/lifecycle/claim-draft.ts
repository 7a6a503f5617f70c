import { NODE_CLAIM_CONDITIONS } from '../../../apis/condition-types.ts';
import { ConditionSet } from '../../../apis/conditions.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { ReconcileResult } from '../../../kube/controller.ts';

/** A claim while the stages of its lifecycle work on it; written back once, when all have had their turn. */
export class ClaimDraft {
  claim: NodeClaim;
  readonly conditions: ConditionSet;

  constructor(claim: NodeClaim, now: number) {
    this.claim = claim;
    this.conditions = new ConditionSet(claim, NODE_CLAIM_CONDITIONS, now);
  }

  /** The claim as it is to be written. */
  get result(): NodeClaim {
    return this.conditions.applied(this.claim);
  }

  /** Notes that a decided condition still holds at the claim's present generation. */
  restamp(type: string): void {
    const { status, reason, message } = this.conditions.get(type) ?? {};
    if (status === 'True') this.conditions.setTrue(type, reason, message);
    else if (status === 'False') this.conditions.setFalse(type, reason ?? '', message ?? '');
  }
}

/** One stage of a claim's life. Stages run one after the other, all of them, every time. */
export interface LifecycleStage {
  reconcile(draft: ClaimDraft, signal: AbortSignal): Promise<ReconcileResult | undefined>;
}
