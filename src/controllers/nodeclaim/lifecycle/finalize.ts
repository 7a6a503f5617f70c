import { INSTANCE_TERMINATING, NODE_CLAIM_CONDITIONS, REGISTERED } from '../../../apis/condition-types.ts';
import { ConditionSet } from '../../../apis/conditions.ts';
import { parseDuration } from '../../../apis/duration.ts';
import {
  ANNOTATION_TERMINATION_TIMESTAMP,
  FINALIZER_TERMINATION,
  LABEL_CAPACITY_TYPE,
  LABEL_ZONE,
} from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { causeOf, NodeClaimNotFoundError } from '../../../cloudprovider/errors.ts';
import type { ReconcileResult } from '../../../kube/controller.ts';
import { ignoreNotFound } from '../../../kube/errors.ts';
import { Nodes } from '../../../kube/resources.ts';
import { formatTimestamp } from '../../../kube/timestamp.ts';
import type { ControllerContext } from '../../context.ts';
import { BY_PROVIDER_ID } from '../../indexes.ts';
import { poolOf } from '../disrupted-labels.ts';
import { terminationGracePeriodExpiring } from '../events.ts';

type Deps = Pick<
  ControllerContext,
  'client' | 'cloud' | 'clock' | 'nodeClaims' | 'nodes' | 'recorder' | 'metrics' | 'log'
>;

const INSTANCE_POLL_MS = 5000;

/** Takes a deleted claim apart: its node is drained first, then the instance goes, then the claim (karpenter-core.md 5.7). */
export class Finalize {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async run(deleted: NodeClaim, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    if (!deleted.metadata.finalizers?.includes(FINALIZER_TERMINATION)) return undefined;
    const claim = await this.#annotate(deleted, signal);
    // A node that never registered has no finalizer of ours: it goes with its instance.
    const registered = claim.status?.conditions?.some((c) => c.type === REGISTERED && c.status === 'True');
    if (registered && (await this.#deleteNodes(claim, signal)) > 0) return undefined;
    if (claim.status?.providerID) return await this.#deleteInstance(claim, signal);
    await this.#release(claim, signal);
    return undefined;
  }

  /** Fixes the moment at which pods stop being asked, once. */
  async #annotate(claim: NodeClaim, signal: AbortSignal): Promise<NodeClaim> {
    const { nodeClaims, recorder, log } = this.#deps;
    const grace = parseDuration(claim.spec.terminationGracePeriod ?? '');
    const annotations = claim.metadata.annotations ?? {};
    if (grace === undefined || annotations[ANNOTATION_TERMINATION_TIMESTAMP] !== undefined) return claim;
    const time = formatTimestamp(Date.parse(claim.metadata.deletionTimestamp ?? '') + grace);
    const metadata = { ...claim.metadata, annotations: { ...annotations, [ANNOTATION_TERMINATION_TIMESTAMP]: time } };
    const annotated = await nodeClaims.patch(claim, { ...claim, metadata }, { lock: true }, signal);
    log.info('annotated nodeclaim', {
      NodeClaim: { name: claim.metadata.name },
      [ANNOTATION_TERMINATION_TIMESTAMP]: time,
    });
    recorder.publish(terminationGracePeriodExpiring(claim, time));
    return annotated;
  }

  /** How many nodes of the claim are left; deletes those that nobody is deleting. */
  async #deleteNodes(claim: NodeClaim, signal: AbortSignal): Promise<number> {
    const { client, nodes } = this.#deps;
    const left = nodes.byIndex(BY_PROVIDER_ID, claim.status?.providerID ?? '');
    for (const node of left) {
      if (node.metadata.deletionTimestamp) continue;
      await client.delete(Nodes, { name: node.metadata.name }, {}, signal).catch(ignoreNotFound);
    }
    return left.length;
  }

  async #deleteInstance(claim: NodeClaim, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { cloud, clock, nodeClaims, metrics } = this.#deps;
    let gone = false;
    try {
      await cloud.delete(claim, signal);
    } catch (error) {
      if (!causeOf(error, NodeClaimNotFoundError)) throw error;
      gone = true;
    }
    const conditions = new ConditionSet(claim, NODE_CLAIM_CONDITIONS, clock.now());
    conditions.setTrue(INSTANCE_TERMINATING);
    const marked = await nodeClaims.patchStatus(claim, conditions.applied(claim), { lock: true }, signal);
    if (!gone) return { requeueAfter: INSTANCE_POLL_MS };
    const seconds = (clock.now() - conditions.since(INSTANCE_TERMINATING)) / 1000;
    metrics.observe('nodeclaims_instance_termination_duration_seconds', seconds, { nodepool: poolOf(claim) });
    await this.#release(marked, signal);
    return undefined;
  }

  async #release(claim: NodeClaim, signal: AbortSignal): Promise<void> {
    const { clock, nodeClaims, metrics, log } = this.#deps;
    const finalizers = claim.metadata.finalizers?.filter((name) => name !== FINALIZER_TERMINATION);
    await nodeClaims.patch(claim, { ...claim, metadata: { ...claim.metadata, finalizers } }, { lock: true }, signal);
    log.info('deleted nodeclaim', {
      NodeClaim: { name: claim.metadata.name },
      'provider-id': claim.status?.providerID,
    });
    const seconds = (clock.now() - Date.parse(claim.metadata.deletionTimestamp ?? '')) / 1000;
    const nodepool = poolOf(claim);
    metrics.observe('nodeclaims_termination_duration_seconds', seconds, { nodepool });
    metrics.count('nodeclaims_terminated_total', {
      nodepool,
      capacity_type: claim.metadata.labels?.[LABEL_CAPACITY_TYPE] ?? '',
      zone: claim.metadata.labels?.[LABEL_ZONE] ?? '',
    });
  }
}
