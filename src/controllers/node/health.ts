import { ANNOTATION_TERMINATION_TIMESTAMP, LABEL_NODEPOOL } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { Event } from '../../events/recorder.ts';
import { findCondition } from '../../kube/conditions.ts';
import { type ControllerSpec, type ReconcileResult, type Watch, watch } from '../../kube/controller.ts';
import type { Condition, Node } from '../../kube/objects.ts';
import { NodeClaims, Nodes } from '../../kube/resources.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import type { ControllerContext } from '../context.ts';
import { BY_PROVIDER_ID } from '../indexes.ts';
import { isManagedClaim } from '../managed.ts';
import { disruptedLabels, poolOf } from '../nodeclaim/disrupted-labels.ts';
import { tolerant } from '../tolerant.ts';

type Deps = Pick<
  ControllerContext,
  'client' | 'nodes' | 'nodeClaims' | 'cloud' | 'clock' | 'recorder' | 'metrics' | 'log'
>;

const BLOCKED_MS = 300_000;
/** Beyond this share of sick nodes the fault is hardly the nodes' own. */
const ALLOWED_SHARE = 0.2;
const QUARTER_HOUR_MS = 900_000;

/** Replaces nodes that stay sick for longer than their provider tolerates, pods and all (karpenter-core.md 9.1). */
export class NodeHealth implements ControllerSpec {
  readonly name = 'node.health';
  readonly watches: readonly Watch[] = [watch(Nodes)];
  readonly workers = 10;
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { nodes, nodeClaims, cloud, clock, recorder } = this.#deps;
    const node = nodes.get(key);
    const id = node?.spec.providerID;
    const [claim, ...more] = id ? nodeClaims.byIndex(BY_PROVIDER_ID, id) : [];
    if (!node || !claim || more.length > 0 || !isManagedClaim(cloud, claim)) return undefined;
    const sickness = this.#sickness(node);
    if (!sickness) return undefined;
    const left = sickness.until - clock.now();
    if (left > 0) return { requeueAfter: left };
    const pool = poolOf(claim);
    if (!this.#isRepairAllowed(pool)) {
      recorder.publish(repairBlocked(node, pool));
      return { requeueAfter: BLOCKED_MS };
    }
    return await tolerant(async () => {
      await this.#replace(node, claim, sickness.condition, signal);
      return undefined;
    });
  }

  /** The condition whose time is up first, of those that the provider would repair. */
  #sickness(node: Node): { readonly condition: Condition; readonly until: number } | undefined {
    return this.#deps.cloud
      .repairPolicies()
      .flatMap(({ conditionType, conditionStatus, tolerationDurationMs }) => {
        const condition = findCondition(node, conditionType);
        if (condition?.status !== conditionStatus) return [];
        return [{ condition, until: Date.parse(condition.lastTransitionTime ?? '') + tolerationDurationMs }];
      })
      .sort((a, b) => a.until - b.until)[0];
  }

  /** Of the pool's nodes; of all nodes for a claim without a pool. */
  #isRepairAllowed(pool: string): boolean {
    const nodes = this.#deps.nodes
      .list()
      .filter((node) => pool === '' || node.metadata.labels?.[LABEL_NODEPOOL] === pool);
    const sick = nodes.filter((node) => this.#sickness(node));
    return sick.length <= Math.ceil(nodes.length * ALLOWED_SHARE);
  }

  async #replace(node: Node, claim: NodeClaim, condition: Condition, signal: AbortSignal): Promise<void> {
    const { client, nodeClaims, clock, metrics, log } = this.#deps;
    const due = Date.parse(claim.metadata.annotations?.[ANNOTATION_TERMINATION_TIMESTAMP] ?? '');
    // Nobody on a sick node will answer an eviction: its pods are deleted at once.
    if (!(due < clock.now())) {
      const time = formatTimestamp(clock.now());
      const annotations = { ...claim.metadata.annotations, [ANNOTATION_TERMINATION_TIMESTAMP]: time };
      await nodeClaims.patch(claim, { ...claim, metadata: { ...claim.metadata, annotations } }, {}, signal);
    }
    if (claim.metadata.deletionTimestamp) return;
    await client.delete(NodeClaims, { name: claim.metadata.name }, {}, signal);
    log.info('deleting unhealthy node', { Node: { name: node.metadata.name }, condition: condition.type });
    const { reason: _, ...labels } = disruptedLabels(claim, '');
    metrics.count('nodeclaims_disrupted_total', disruptedLabels(claim, 'unhealthy'));
    metrics.count('nodeclaims_unhealthy_disrupted_total', {
      ...labels,
      condition: snakeCase(condition.type),
      image_id: claim.status?.imageID ?? '',
    });
  }
}

const snakeCase = (text: string): string => text.replace(/(?<=[a-z0-9])([A-Z])/g, '_$1').toLowerCase();

function repairBlocked(node: Node, pool: string): Event {
  return {
    resource: Nodes,
    object: node,
    type: 'Warning',
    reason: 'NodeRepairBlocked',
    message: `more than 20% nodes are unhealthy in the ${pool === '' ? 'cluster' : 'nodepool'}`,
    dedupe: [node.metadata.uid ?? ''],
    dedupeMs: QUARTER_HOUR_MS,
  };
}
