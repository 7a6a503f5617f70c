import {
  ANNOTATION_TERMINATION_TIMESTAMP,
  CAPACITY_TYPE_SPOT,
  LABEL_CAPACITY_TYPE,
  LABEL_INSTANCE_TYPE,
  LABEL_NODEPOOL,
  LABEL_ZONE,
} from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { combinedError } from '../../../controllers/combined-error.ts';
import type { ControllerContext } from '../../../controllers/context.ts';
import { isConflict, isNotFound } from '../../../kube/errors.ts';
import type { Node } from '../../../kube/objects.ts';
import { formatTimestamp } from '../../../kube/timestamp.ts';
import { LABEL_CAPACITY_RESERVATION_ID } from '../../apis/labels.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import type { CapacityReservationProvider, UnavailableOfferings } from '../../providers/contracts.ts';
import { interrupted, terminatingOnInterruption } from './events.ts';
import { addInstanceIndex, BY_INSTANCE_ID } from './instance-index.ts';
import type { InterruptionMessage, MessageKind } from './message.ts';

export interface InterruptionHandlerDeps
  extends Pick<ControllerContext, 'informers' | 'clock' | 'nodeClaims' | 'nodes' | 'recorder' | 'metrics' | 'log'> {
  readonly unavailableOfferings: Pick<UnavailableOfferings, 'markUnavailable'>;
  readonly capacityReservations: Pick<CapacityReservationProvider, 'markUnavailable'>;
}

type Action = 'CordonAndDrain' | 'ForcefulTermination' | 'NoAction';

/** Pods on a broken instance can't be asked to leave; those of an instance that is about to go can. */
function actionFor(kind: MessageKind): Action {
  switch (kind) {
    case 'instance_status':
    case 'system_status':
      return 'ForcefulTermination';
    case 'rebalance_recommendation':
    case 'no_op':
      return 'NoAction';
    default:
      return 'CordonAndDrain';
  }
}

/** Longer than the API takes to tell that a claim is going. */
const TOLD_MS = 60_000;

/** Acts on news of instances (aws-provider.md section 25): tells of it, and lets the claims go that lose their instance. */
export class InterruptionHandler {
  readonly #deps: InterruptionHandlerDeps;
  /** Uids of claims that were deleted here and may not look like it yet: ten messages of one instance come at once. */
  readonly #deleted: TtlCache<true>;

  constructor(deps: InterruptionHandlerDeps) {
    this.#deps = deps;
    this.#deleted = new TtlCache(deps.clock, { ttlMs: TOLD_MS, sweepMs: TOLD_MS });
    addInstanceIndex(deps.informers);
  }

  /**
   * @returns whether the message is about an instance of this cluster.
   * @throws what went wrong with some of the claims; the others are done.
   */
  async handle(message: InterruptionMessage, signal?: AbortSignal): Promise<boolean> {
    const { nodeClaims, nodes } = this.#deps;
    const errors: unknown[] = [];
    let isFound = false;
    for (const id of message.instanceIDs) {
      for (const claim of nodeClaims.byIndex(BY_INSTANCE_ID, id)) {
        isFound = true;
        const [node] = nodes.byIndex(BY_INSTANCE_ID, id);
        await this.#act(message.kind, claim, node, signal).catch((error: unknown) => errors.push(error));
      }
    }
    const error = combinedError(errors);
    if (error !== undefined) throw wrappedError('acting on NodeClaims', error);
    return isFound;
  }

  async #act(kind: MessageKind, claim: NodeClaim, node: Node | undefined, signal?: AbortSignal): Promise<void> {
    this.#deps.recorder.publish(...interrupted(kind, claim, node));
    this.#markUnavailable(kind, claim);
    const action = actionFor(kind);
    if (action === 'NoAction') return;
    try {
      const current = action === 'ForcefulTermination' ? await this.#hurry(claim, signal) : claim;
      if (!current.metadata.deletionTimestamp) await this.#delete(kind, action, current, node, signal);
    } catch (error) {
      // It is gone, and perhaps another has its name.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  /** EC2 has taken back what it sold: it will not sell more of it in the next minutes. */
  #markUnavailable(kind: MessageKind, { metadata: { labels = {} } }: NodeClaim): void {
    const { unavailableOfferings, capacityReservations } = this.#deps;
    if (kind === 'spot_interrupted') {
      const zone = labels[LABEL_ZONE];
      const instanceType = labels[LABEL_INSTANCE_TYPE];
      if (!zone || !instanceType) return;
      unavailableOfferings.markUnavailable(instanceType, zone, CAPACITY_TYPE_SPOT, { reason: kind });
    }
    const reservation = labels[LABEL_CAPACITY_RESERVATION_ID];
    if (kind === 'capacity_reservation_interrupted' && reservation) capacityReservations.markUnavailable(reservation);
  }

  /** The claim's time of grace is over now, so that its pods are not waited for. */
  async #hurry(claim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim> {
    const { annotations } = claim.metadata;
    if (annotations?.[ANNOTATION_TERMINATION_TIMESTAMP] !== undefined) return claim;
    const { nodeClaims, clock } = this.#deps;
    const hurried = { ...annotations, [ANNOTATION_TERMINATION_TIMESTAMP]: formatTimestamp(clock.now()) };
    return await nodeClaims.patch(
      claim,
      { ...claim, metadata: { ...claim.metadata, annotations: hurried } },
      {},
      signal,
    );
  }

  async #delete(
    kind: MessageKind,
    action: Action,
    claim: NodeClaim,
    node: Node | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    const { nodeClaims, recorder, metrics, log } = this.#deps;
    const { uid = '' } = claim.metadata;
    if (this.#deleted.has(uid)) return;
    this.#deleted.set(uid, true);
    try {
      await nodeClaims.delete(claim, signal);
    } catch (error) {
      this.#deleted.delete(uid);
      if (isNotFound(error) || isConflict(error)) throw error;
      throw wrappedError('deleting the node on interruption message', error);
    }
    log.info('initiating delete from interruption message', {
      messageKind: kind,
      action,
      NodeClaim: { name: claim.metadata.name },
      ...(node ? { Node: { name: node.metadata.name } } : {}),
    });
    recorder.publish(...terminatingOnInterruption(claim, node));
    metrics.count('nodeclaims_disrupted_total', {
      reason: kind,
      nodepool: claim.metadata.labels?.[LABEL_NODEPOOL] ?? '',
      capacity_type: claim.metadata.labels?.[LABEL_CAPACITY_TYPE] ?? '',
    });
  }
}
