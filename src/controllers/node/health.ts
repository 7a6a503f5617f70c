import { ANNOTATION_TERMINATION_TIMESTAMP, LABEL_CAPACITY_TYPE, LABEL_NODEPOOL } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { Event } from '../../events/recorder.ts';
import { findCondition } from '../../kube/conditions.ts';
import { type ControllerSpec, type ReconcileResult, type Watch, watch } from '../../kube/controller.ts';
import type { Change } from '../../kube/informer.ts';
import type { Condition, Node } from '../../kube/objects.ts';
import { NodeClaims, Nodes } from '../../kube/resources.ts';
import { formatTimestamp } from '../../kube/timestamp.ts';
import type { ControllerContext } from '../context.ts';
import { BY_PROVIDER_ID, nodesOfClaim } from '../indexes.ts';
import { isManagedNode } from '../managed.ts';
import { poolOf } from '../nodeclaim/disrupted-labels.ts';
import { tolerant } from '../tolerant.ts';

type Deps = Pick<
  ControllerContext,
  'nodes' | 'nodePools' | 'nodeClaims' | 'informers' | 'cloud' | 'clock' | 'recorder' | 'metrics' | 'log'
>;

const BLOCKED_MS = 300_000;
/** Beyond this share of sick nodes the fault is hardly the nodes' own. */
const ALLOWED_SHARE = 0.2;
const QUARTER_HOUR_MS = 900_000;
const TOO_MANY_IN_POOL = 'more than 20% nodes are unhealthy in the nodepool';
/** In upstream's spelling. */
const TOO_MANY_IN_CLUSTER = 'more then 20% nodes are unhealthy in the cluster';

/** Replaces nodes that stay sick for longer than their provider tolerates, pods and all (karpenter-core.md 9.1). */
export class NodeHealth implements ControllerSpec {
  readonly name = 'node.health';
  readonly watches: readonly Watch[];
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.watches = [
      watch(Nodes, whenConditionsChange),
      // After a restart the claims may come after their nodes.
      watch(NodeClaims, ({ type, object }) => (type === 'Added' ? nodesOfClaim(deps.informers, object) : [])),
    ];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { nodes, nodeClaims, cloud, clock } = this.#deps;
    const node = nodes.get(key);
    const id = node?.spec.providerID;
    const [claim, ...more] = id ? nodeClaims.byIndex(BY_PROVIDER_ID, id) : [];
    if (!node || !claim || more.length > 0 || !isManagedNode(cloud, node)) return undefined;
    const sickness = this.#sickness(node);
    if (!sickness) return undefined;
    const left = sickness.until - clock.now();
    if (left > 0) return { requeueAfter: left };
    if (!this.#isRepairAllowed(claim)) {
      this.#tell(node, claim);
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
  #isRepairAllowed(claim: NodeClaim): boolean {
    const pool = poolOf(claim);
    const nodes = this.#deps.nodes
      .list()
      .filter((node) => pool === '' || node.metadata.labels?.[LABEL_NODEPOOL] === pool);
    const sick = nodes.filter((node) => this.#sickness(node));
    return sick.length <= Math.ceil(nodes.length * ALLOWED_SHARE);
  }

  /** Upstream says it about the node three times over, once for each object concerned. */
  #tell(node: Node, claim: NodeClaim): void {
    const { nodePools, recorder } = this.#deps;
    const pool = poolOf(claim);
    const nodePool = nodePools.get(pool);
    if (pool !== '' && !nodePool) return;
    const message = pool === '' ? TOO_MANY_IN_CLUSTER : TOO_MANY_IN_POOL;
    for (const { metadata } of [node, claim, ...(nodePool ? [nodePool] : [])]) {
      recorder.publish(repairBlocked(node, message, metadata.uid ?? ''));
    }
  }

  async #replace(node: Node, claim: NodeClaim, condition: Condition, signal: AbortSignal): Promise<void> {
    const { nodeClaims, clock, metrics, log } = this.#deps;
    const due = Date.parse(claim.metadata.annotations?.[ANNOTATION_TERMINATION_TIMESTAMP] ?? '');
    // Nobody on a sick node will answer an eviction: its pods are deleted at once.
    if (!(due < clock.now())) {
      const time = formatTimestamp(clock.now());
      const annotations = { ...claim.metadata.annotations, [ANNOTATION_TERMINATION_TIMESTAMP]: time };
      await nodeClaims.patch(claim, { ...claim, metadata: { ...claim.metadata, annotations } }, {}, signal);
      log.info('annotated nodeclaim', { NodeClaim: named(claim), [ANNOTATION_TERMINATION_TIMESTAMP]: time });
    }
    if (claim.metadata.deletionTimestamp) return;
    await nodeClaims.delete(claim, signal);
    log.info('deleting unhealthy node', { Node: named(node), NodeClaim: named(claim), condition: condition.type });
    const labels = {
      nodepool: node.metadata.labels?.[LABEL_NODEPOOL] ?? '',
      capacity_type: node.metadata.labels?.[LABEL_CAPACITY_TYPE] ?? '',
    };
    metrics.count('nodeclaims_disrupted_total', { ...labels, reason: 'unhealthy' });
    metrics.count('nodeclaims_unhealthy_disrupted_total', {
      ...labels,
      condition: snakeCase(condition.type),
      image_id: claim.status?.imageID ?? '',
    });
  }
}

const named = ({ metadata: { name } }: Node | NodeClaim) => ({ name });

/** `KernelDeadlock` → `kernel_deadlock`, `PIDPressure` → `pid_pressure`. */
const snakeCase = (text: string): string =>
  text
    .replace(/(.)([A-Z][a-z]+)/g, '$1_$2')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();

/** Heartbeats and labels say nothing about a node's health. */
function whenConditionsChange({ type, object, old }: Change<Node>): readonly string[] {
  const conditions = object.status?.conditions ?? [];
  const before = old?.status?.conditions ?? [];
  const isSame = ({ type: of, status, lastTransitionTime }: Condition): boolean => {
    const now = findCondition(object, of);
    return now?.status === status && now.lastTransitionTime === lastTransitionTime;
  };
  const unchanged = type === 'Updated' && conditions.length === before.length && before.every(isSame);
  return unchanged ? [] : [object.metadata.name];
}

function repairBlocked(node: Node, message: string, uid: string): Event {
  return {
    resource: Nodes,
    object: node,
    type: 'Warning',
    reason: 'NodeRepairBlocked',
    message,
    dedupe: [uid],
    dedupeMs: QUARTER_HOUR_MS,
  };
}
