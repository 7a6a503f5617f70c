import { REGISTERED } from '../../../apis/condition-types.ts';
import {
  FINALIZER_TERMINATION,
  LABEL_DO_NOT_SYNC_TAINTS,
  LABEL_REGISTERED,
  LABEL_ZONE,
  TAINT_UNREGISTERED,
} from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { Node, OwnerReference, Taint } from '../../../kube/objects.ts';
import { apiVersionOf, NodeClaims } from '../../../kube/resources.ts';
import type { ControllerContext } from '../../context.ts';
import { BY_PROVIDER_ID } from '../../indexes.ts';
import { poolOf } from '../disrupted-labels.ts';
import { unregisteredTaintMissing } from '../events.ts';
import type { ClaimDraft, LifecycleStage } from './claim-draft.ts';
import { recordRegistration } from './pool-health.ts';

type Deps = Pick<
  ControllerContext,
  'nodes' | 'nodePools' | 'clock' | 'registrationHealth' | 'recorder' | 'metrics' | 'log'
>;

const sameTaint = (a: Pick<Taint, 'key' | 'effect'>, b: Pick<Taint, 'key' | 'effect'>): boolean =>
  a.key === b.key && a.effect === b.effect;

/** Makes the node that has joined ours: labels, taints, owner and finalizer come from the claim (karpenter-core.md 5.3). */
export class Registration implements LifecycleStage {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(draft: ClaimDraft, signal: AbortSignal) {
    const { nodes, recorder, metrics, log } = this.#deps;
    const { claim, conditions } = draft;
    if (!conditions.isUnknown(REGISTERED)) {
      draft.restamp(REGISTERED);
      return undefined;
    }
    const id = claim.status?.providerID;
    const [node, ...more] = id ? nodes.byIndex(BY_PROVIDER_ID, id) : [];
    if (!node) {
      conditions.setUnknown(REGISTERED, 'NodeNotFound', 'Node not registered with cluster');
      return undefined;
    }
    if (more.length > 0) {
      conditions.setFalse(REGISTERED, 'MultipleNodesFound', 'Invariant violated, matched multiple nodes');
      return undefined;
    }
    const tainted = node.spec.taints?.some((taint) => sameTaint(taint, TAINT_UNREGISTERED)) ?? false;
    if (!tainted && node.metadata.labels?.[LABEL_REGISTERED] === undefined) {
      recorder.publish(unregisteredTaintMissing(claim));
    }
    await nodes.patch(node, registeredNode(claim, node), { lock: true }, signal);
    const name = node.metadata.name;
    log.info('registered nodeclaim', { NodeClaim: { name: claim.metadata.name }, Node: { name }, 'provider-id': id });
    conditions.setTrue(REGISTERED);
    draft.claim = { ...claim, status: { ...claim.status, nodeName: name } };
    metrics.count('nodes_created_total', { nodepool: poolOf(claim), zone: claim.metadata.labels?.[LABEL_ZONE] ?? '' });
    await recordRegistration(this.#deps, claim, undefined, signal);
    return undefined;
  }
}

function registeredNode(claim: NodeClaim, node: Node): Node {
  const { metadata } = node;
  const owner: OwnerReference = {
    apiVersion: apiVersionOf(NodeClaims),
    kind: NodeClaims.kind,
    name: claim.metadata.name,
    uid: claim.metadata.uid ?? '',
    blockOwnerDeletion: true,
  };
  const owners = metadata.ownerReferences ?? [];
  const finalizers = metadata.finalizers ?? [];
  const synced = node.metadata.labels?.[LABEL_DO_NOT_SYNC_TAINTS] === 'true' ? [] : claimTaints(claim);
  const present = node.spec.taints ?? [];
  const added = synced.filter((taint) => !present.some((other) => sameTaint(taint, other)));
  return {
    ...node,
    metadata: {
      ...metadata,
      finalizers: finalizers.includes(FINALIZER_TERMINATION) ? finalizers : [...finalizers, FINALIZER_TERMINATION],
      ownerReferences: owners.some((o) => o.uid === owner.uid) ? owners : [...owners, owner],
      labels: { ...metadata.labels, ...claim.metadata.labels, [LABEL_REGISTERED]: 'true' },
      annotations: { ...metadata.annotations, ...claim.metadata.annotations },
    },
    spec: {
      ...node.spec,
      taints: [...present, ...added].filter((taint) => !sameTaint(taint, TAINT_UNREGISTERED)),
    },
  };
}

function claimTaints({ spec }: NodeClaim): Taint[] {
  return [...(spec.taints ?? []), ...(spec.startupTaints ?? [])].filter(
    (taint, i, all) => all.findIndex((other) => sameTaint(taint, other)) === i,
  );
}
