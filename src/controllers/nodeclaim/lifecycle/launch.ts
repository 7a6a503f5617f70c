import { LAUNCHED } from '../../../apis/condition-types.ts';
import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_ZONE } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import {
  CreateError,
  causeOf,
  InsufficientCapacityError,
  NodeClassNotReadyError,
} from '../../../cloudprovider/errors.ts';
import type { ControllerContext } from '../../context.ts';
import { disruptedLabels } from '../disrupted-labels.ts';
import { insufficientCapacity } from '../events.ts';
import { truncated } from '../truncated.ts';
import type { ClaimDraft, LifecycleStage } from './claim-draft.ts';

type Deps = Pick<ControllerContext, 'cloud' | 'nodeClaims' | 'recorder' | 'metrics' | 'log'>;

/** Buys an instance for the claim, once (karpenter-core.md 5.2). */
export class Launch implements LifecycleStage {
  readonly #deps: Deps;
  /** What was bought for claims whose status does not say so yet, by uid: losing a write must not buy twice. */
  readonly #launched = new Map<string, NodeClaim>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(draft: ClaimDraft, signal: AbortSignal) {
    const uid = draft.claim.metadata.uid ?? '';
    if (!draft.conditions.isUnknown(LAUNCHED)) {
      draft.restamp(LAUNCHED);
      this.#launched.delete(uid);
      return undefined;
    }
    const created = this.#launched.get(uid) ?? (await this.#create(draft, signal));
    if (!created) return undefined;
    this.#launched.set(uid, created);
    draft.claim = withDetails(draft.claim, created);
    draft.conditions.setTrue(LAUNCHED);
    return undefined;
  }

  /** The claim is gone, launched or not. */
  forget(claim: NodeClaim): void {
    this.#launched.delete(claim.metadata.uid ?? '');
  }

  async #create(draft: ClaimDraft, signal: AbortSignal): Promise<NodeClaim | undefined> {
    const { cloud, recorder, log } = this.#deps;
    const { claim } = draft;
    try {
      const created = await cloud.create(claim, signal);
      log.info('launched nodeclaim', {
        NodeClaim: { name: claim.metadata.name },
        'provider-id': created.status?.providerID,
        'instance-type': created.metadata.labels?.[LABEL_INSTANCE_TYPE],
        zone: created.metadata.labels?.[LABEL_ZONE],
        'capacity-type': created.metadata.labels?.[LABEL_CAPACITY_TYPE],
        allocatable: created.status?.allocatable,
      });
      return created;
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (causeOf(error, InsufficientCapacityError)) {
        recorder.publish(insufficientCapacity(claim, text));
        return await this.#giveUp(claim, error, 'insufficient_capacity', signal);
      }
      if (causeOf(error, NodeClassNotReadyError)) {
        return await this.#giveUp(claim, error, 'nodeclass_not_ready', signal);
      }
      const refusal = causeOf(error, CreateError);
      if (refusal) draft.conditions.setUnknown(LAUNCHED, refusal.conditionReason, refusal.conditionMessage);
      else draft.conditions.setUnknown(LAUNCHED, 'LaunchFailed', truncated(text));
      throw new Error(`launching nodeclaim, ${text}`, { cause: error });
    }
  }

  /** Nothing will come of this claim: the pods are better off with a new one. */
  async #giveUp(claim: NodeClaim, error: unknown, reason: string, signal: AbortSignal): Promise<undefined> {
    const { nodeClaims, metrics, log } = this.#deps;
    log.error('failed launching nodeclaim', error, { NodeClaim: { name: claim.metadata.name } });
    await nodeClaims.delete(claim, signal);
    metrics.count('nodeclaims_disrupted_total', disruptedLabels(claim, reason));
    return undefined;
  }
}

/** The claim's own labels win over what the provider says; of annotations the provider's do. */
function withDetails(claim: NodeClaim, created: NodeClaim): NodeClaim {
  return {
    ...claim,
    metadata: {
      ...claim.metadata,
      labels: { ...created.metadata.labels, ...claim.metadata.labels },
      annotations: { ...claim.metadata.annotations, ...created.metadata.annotations },
    },
    status: {
      ...claim.status,
      ...(created.status?.providerID ? { providerID: created.status.providerID } : {}),
      ...(created.status?.imageID ? { imageID: created.status.imageID } : {}),
      ...(created.status?.capacity ? { capacity: created.status.capacity } : {}),
      ...(created.status?.allocatable ? { allocatable: created.status.allocatable } : {}),
    },
  };
}
