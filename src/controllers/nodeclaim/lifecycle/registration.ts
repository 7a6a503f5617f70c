import { REGISTERED } from '../../../apis/condition-types.ts';
import { LABEL_REGISTERED, LABEL_ZONE, TAINT_UNREGISTERED } from '../../../apis/labels.ts';
import type { ReconcileResult } from '../../../kube/controller.ts';
import type { Node } from '../../../kube/objects.ts';
import { sameTaint } from '../../../scheduling/taints.ts';
import type { ControllerContext } from '../../context.ts';
import { BY_PROVIDER_ID } from '../../indexes.ts';
import { poolOf } from '../disrupted-labels.ts';
import { unregisteredTaintMissing } from '../events.ts';
import type { ClaimDraft, LifecycleStage } from './claim-draft.ts';
import { recordRegistration } from './pool-health.ts';
import { registeredNode, syncedNode } from './registered-node.ts';
import { askHooks } from './registration-hooks.ts';

type Deps = Pick<
  ControllerContext,
  'nodes' | 'nodePools' | 'clock' | 'cloud' | 'registrationHealth' | 'recorder' | 'metrics' | 'log'
>;

/**
 * Makes the node that has joined ours: labels, taints, owner and finalizer come from the claim. The taint of unregistered
 * nodes stays until none of the provider's hooks is pending (karpenter-core.md 5.3).
 */
export class Registration implements LifecycleStage {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(draft: ClaimDraft, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { conditions } = draft;
    if (!conditions.isUnknown(REGISTERED)) {
      draft.restamp(REGISTERED);
      return undefined;
    }
    const id = draft.claim.status?.providerID;
    const [node, ...more] = id ? this.#deps.nodes.byIndex(BY_PROVIDER_ID, id) : [];
    if (!node) {
      conditions.setUnknown(REGISTERED, 'NodeNotFound', 'Node not registered with cluster');
      return undefined;
    }
    if (more.length > 0) {
      conditions.setFalse(REGISTERED, 'MultipleNodesFound', 'Invariant violated, matched multiple nodes');
      return undefined;
    }
    this.#checkTaint(draft, node);
    return await this.#register(draft, node, signal);
  }

  /** Without the taint, pods may have come to the node before it had those of the claim. */
  #checkTaint({ claim }: ClaimDraft, node: Node): void {
    const tainted = node.spec.taints?.some((taint) => sameTaint(taint, TAINT_UNREGISTERED)) ?? false;
    if (tainted || node.metadata.labels?.[LABEL_REGISTERED] !== undefined) return;
    const reason = new Error('missing taint prevents registration-related race conditions on Karpenter-managed nodes');
    const { name } = claim.metadata;
    const { log, recorder } = this.#deps;
    log.error('node claim registration error', reason, { NodeClaim: { name }, taint: TAINT_UNREGISTERED.key });
    recorder.publish(unregisteredTaintMissing(claim));
  }

  async #register(draft: ClaimDraft, node: Node, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { cloud, nodes, metrics, log } = this.#deps;
    const { conditions } = draft;
    const { claim, pending, again, error } = await askHooks(cloud.registrationHooks ?? [], draft.claim, signal);
    const before = draft.claim;
    draft.claim = claim;
    const { name } = claim.metadata;
    if (pending.length > 0) {
      log.debug('awaiting registration hooks', { NodeClaim: { name }, hooks: pending });
      conditions.setUnknown(REGISTERED, 'RegistrationHookPending', pending.join(', '));
      await nodes.patch(node, syncedNode(before, node), { lock: true }, signal);
      if (error !== undefined) throw error;
      return again;
    }
    await nodes.patch(node, registeredNode(claim, node), { lock: true }, signal);
    // Before the condition: when it fails the claim has another turn, so that no success is lost.
    await recordRegistration(this.#deps, claim, undefined, signal);
    log.info('registered nodeclaim', {
      NodeClaim: { name },
      Node: { name: node.metadata.name },
      'provider-id': claim.status?.providerID,
    });
    conditions.setTrue(REGISTERED);
    draft.claim = { ...claim, status: { ...claim.status, nodeName: node.metadata.name } };
    metrics.count('nodes_created_total', { nodepool: poolOf(claim), zone: claim.metadata.labels?.[LABEL_ZONE] ?? '' });
    return undefined;
  }
}
