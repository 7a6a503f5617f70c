import { INITIALIZED, READY, REGISTERED } from '../../../apis/condition-types.ts';
import { LABEL_INITIALIZED, TAINT_UNREGISTERED } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { findCondition } from '../../../kube/conditions.ts';
import type { Node, Taint } from '../../../kube/objects.ts';
import { toResources } from '../../../scheduling/resource-list.ts';
import type { ControllerContext } from '../../context.ts';
import { BY_PROVIDER_ID } from '../../indexes.ts';
import type { ClaimDraft, LifecycleStage } from './claim-draft.ts';

type Deps = Pick<ControllerContext, 'nodes' | 'log'>;

/** Taints that go by themselves while a node starts (karpenter-core.md 2.7). */
const EPHEMERAL: readonly Pick<Taint, 'key' | 'effect'>[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', effect: 'NoSchedule' },
  TAINT_UNREGISTERED,
];
const EPHEMERAL_PREFIX = 'readiness.k8s.io/';

const printed = ({ key, value, effect }: Taint): string => (value ? `${key}=${value}:${effect}` : `${key}:${effect}`);

const isEphemeral = (taint: Taint): boolean =>
  taint.key.startsWith(EPHEMERAL_PREFIX) || EPHEMERAL.some((e) => e.key === taint.key && e.effect === taint.effect);

/** Waits until pods can run on the node: ready, untainted, with all that was asked for (karpenter-core.md 5.4). */
export class Initialization implements LifecycleStage {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(draft: ClaimDraft, signal: AbortSignal) {
    const { nodes, log } = this.#deps;
    const { claim, conditions } = draft;
    if (!conditions.isUnknown(INITIALIZED)) {
      draft.restamp(INITIALIZED);
      return undefined;
    }
    if (!conditions.isTrue(REGISTERED)) return undefined;
    const [node, ...more] = nodes.byIndex(BY_PROVIDER_ID, claim.status?.providerID ?? '');
    if (!node || more.length > 0) {
      conditions.setUnknown(INITIALIZED, 'NodeNotFound', 'Node not registered with cluster');
      return undefined;
    }
    const obstacle = obstacleOf(claim, node);
    if (obstacle) {
      conditions.setUnknown(INITIALIZED, obstacle.reason, obstacle.message);
      return undefined;
    }
    const labels = { ...node.metadata.labels, [LABEL_INITIALIZED]: 'true' };
    await nodes.patch(node, { ...node, metadata: { ...node.metadata, labels } }, {}, signal);
    log.info('initialized nodeclaim', {
      NodeClaim: { name: claim.metadata.name },
      Node: { name: node.metadata.name },
      'provider-id': claim.status?.providerID,
      allocatable: node.status?.allocatable,
    });
    conditions.setTrue(INITIALIZED);
    return undefined;
  }
}

function obstacleOf(claim: NodeClaim, node: Node): { reason: string; message: string } | undefined {
  const taints = node.spec.taints ?? [];
  if (findCondition(node, READY)?.status !== 'True') {
    return { reason: 'NodeNotReady', message: 'Node status is NotReady' };
  }
  const startup = taints.find((taint) =>
    claim.spec.startupTaints?.some((s) => s.key === taint.key && s.effect === taint.effect),
  );
  if (startup) {
    return { reason: 'StartupTaintsExist', message: `StartupTaint "${printed(startup)}" still exists` };
  }
  const ephemeral = taints.find(isEphemeral);
  if (ephemeral) {
    const message = `KnownEphemeralTaint "${printed(ephemeral)}" still exists`;
    return { reason: 'KnownEphemeralTaintsExist', message };
  }
  const allocatable = toResources(node.status?.allocatable);
  for (const [name, amount] of Object.entries(toResources(claim.spec.resources?.requests))) {
    if (amount === 0 || allocatable[name]) continue;
    return { reason: 'ResourceNotRegistered', message: `Resource "${name}" was requested but not registered` };
  }
  return undefined;
}
