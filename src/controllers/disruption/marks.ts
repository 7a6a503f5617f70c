import { DISRUPTION_REASON, NODE_CLAIM_CONDITIONS } from '../../apis/condition-types.ts';
import { ConditionSet } from '../../apis/conditions.ts';
import { TAINT_DISRUPTED } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { ignoreNotFound } from '../../kube/errors.ts';
import type { Node, Taint } from '../../kube/objects.ts';
import { NodeClaims, Nodes } from '../../kube/resources.ts';
import { isInitialized } from '../../scheduling/state-node.ts';
import type { StateNode } from '../../scheduling/types.ts';
import type { ControllerContext } from '../context.ts';
import { retried } from '../retried.ts';

type Deps = Pick<ControllerContext, 'client' | 'clock' | 'nodes' | 'nodeClaims'>;

const isDisrupted = (taint: Taint): boolean =>
  taint.key === TAINT_DISRUPTED.key && taint.effect === TAINT_DISRUPTED.effect;

/**
 * What disruption writes on a node that is to go: a taint that keeps pods away, and on its claim why. Each is read fresh,
 * since a list is written whole (karpenter-core.md 8.15).
 */
export class DisruptionMarks {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async set({ node, nodeClaim }: StateNode, reason: string, signal: AbortSignal): Promise<void> {
    if (!node || !nodeClaim) return;
    await this.#retaint(node.metadata.name, true, signal);
    await this.#setReason(nodeClaim.metadata.name, reason, signal);
  }

  async clear(state: StateNode, signal: AbortSignal): Promise<void> {
    const { node, nodeClaim } = state;
    if (!node || !nodeClaim) return;
    if (node.spec.taints?.some(isDisrupted)) await this.#retaint(node.metadata.name, false, signal);
    if (isInitialized(state) && nodeClaim.status?.conditions?.some((c) => c.type === DISRUPTION_REASON)) {
      await this.#setReason(nodeClaim.metadata.name, undefined, signal);
    }
  }

  async #retaint(name: string, wanted: boolean, signal: AbortSignal): Promise<void> {
    const { client, nodes } = this.#deps;
    await this.#retried(signal, async () => {
      const node: Node = await client.get(Nodes, { name }, signal);
      // A node that is being deleted keeps its taint.
      if (!wanted && node.metadata.deletionTimestamp) return;
      const others = (node.spec.taints ?? []).filter((taint) => !isDisrupted(taint));
      if (wanted === (others.length !== (node.spec.taints ?? []).length)) return;
      const taints = wanted ? [...others, TAINT_DISRUPTED] : others;
      await nodes.patch(node, { ...node, spec: { ...node.spec, taints } }, { lock: true }, signal);
    });
  }

  async #setReason(name: string, reason: string | undefined, signal: AbortSignal): Promise<void> {
    const { client, clock, nodeClaims } = this.#deps;
    await this.#retried(signal, async () => {
      const claim: NodeClaim = await client.get(NodeClaims, { name }, signal);
      const conditions = new ConditionSet(claim, NODE_CLAIM_CONDITIONS, clock.now());
      if (reason === undefined) conditions.clear(DISRUPTION_REASON);
      else conditions.setTrue(DISRUPTION_REASON, reason, reason);
      await nodeClaims.patchStatus(claim, conditions.applied(claim), { lock: true }, signal);
    });
  }

  /** Somebody else's write is tried again on top of; a node or claim that is gone needs no mark. */
  async #retried(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    await retried(this.#deps.clock, work, signal).catch(ignoreNotFound);
  }
}
