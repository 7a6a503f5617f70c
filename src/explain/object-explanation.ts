import { ANNOTATION_NODEPOOL_HASH, LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { Condition, Event, KubeObject } from '../kube/objects.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import { type ConditionMeaning, NODE_CLAIM_CONDITIONS, NODE_POOL_CONDITIONS } from './condition-meanings.ts';
import { requirementDrift, templateDrift } from './drifted-fields.ts';
import type { FieldChange } from './field-change.ts';

/** Events shown, the latest. */
const EVENTS = 5;

export interface ConditionExplanation {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly since?: string;
  /** In plain words. */
  readonly meaning: string;
  readonly healthy: boolean;
  /** What to look at next, when it isn't healthy. */
  readonly next?: string;
}

export interface ObjectEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly time?: string;
  readonly count: number;
}

export interface ObjectExplanation {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'NodeClaimExplanation' | 'NodePoolExplanation';
  readonly name: string;
  readonly nodePool?: string;
  readonly node?: string;
  readonly deletionTimestamp?: string;
  readonly conditions: readonly ConditionExplanation[];
  /** Why the claim is no longer what its pool asks for: `from` is what it has, `to` what the pool asks for. */
  readonly drift?: readonly FieldChange[];
  /** Facts that no condition says. */
  readonly notes: readonly string[];
  readonly events: readonly ObjectEvent[];
}

export interface ClaimQuestion {
  readonly nodeClaim: NodeClaim;
  /** The claim's pool, if it exists. */
  readonly nodePool: NodePool | undefined;
  /** What the pool can buy. */
  readonly instanceTypes?: readonly InstanceType[];
  readonly events: readonly Event[];
}

/** A claim's life so far, in plain words. */
export function explainNodeClaim({
  nodeClaim,
  nodePool,
  instanceTypes = [],
  events,
}: ClaimQuestion): ObjectExplanation {
  const poolName = nodeClaim.metadata.labels?.[LABEL_NODEPOOL];
  const notes: string[] = [];
  if (poolName && !nodePool) notes.push(`its NodePool "${poolName}" no longer exists: the claim will be deleted`);
  const own = nodeClaim.metadata.annotations?.[ANNOTATION_NODEPOOL_HASH];
  const wanted = nodePool?.metadata.annotations?.[ANNOTATION_NODEPOOL_HASH];
  const isChanged = Boolean(own && wanted && own !== wanted);
  const drift = nodePool ? driftedFields(nodePool, nodeClaim, instanceTypes, isChanged) : [];
  if (isChanged) {
    const gone = drift.length === 0 ? ' (a label or annotation was taken out of it, or a field was changed back)' : '';
    notes.push(`the template of its NodePool has changed since the launch${gone}: it drifts`);
  }
  const finalizers = nodeClaim.metadata.finalizers ?? [];
  if (nodeClaim.metadata.deletionTimestamp && finalizers.length > 0) {
    notes.push(`being deleted; waits for ${finalizers.join(', ')}`);
  }
  return {
    ...base('NodeClaimExplanation', nodeClaim, events),
    ...(poolName ? { nodePool: poolName } : {}),
    ...(nodeClaim.status?.nodeName ? { node: nodeClaim.status.nodeName } : {}),
    conditions: conditionsOf(nodeClaim.status?.conditions, NODE_CLAIM_CONDITIONS),
    ...(drift.length > 0 ? { drift } : {}),
    notes,
  };
}

/** The template's fields count only when its hash says that it has changed; requirements always do. */
function driftedFields(
  nodePool: NodePool,
  nodeClaim: NodeClaim,
  types: readonly InstanceType[],
  isChanged: boolean,
): readonly FieldChange[] {
  return [...(isChanged ? templateDrift(nodePool, nodeClaim) : []), ...requirementDrift(nodePool, nodeClaim, types)];
}

export interface PoolQuestion {
  readonly nodePool: NodePool;
  /** Nodes and claims that it has now. */
  readonly nodes: number;
  /** What is used of each limit, printed `used of limit`. */
  readonly limits: Readonly<Record<string, { readonly used: string; readonly limit: string }>>;
  /** Disruptions that its budgets allow now, by reason; null without a budget. */
  readonly budgets: Readonly<Record<string, { readonly allowed: number | null }>>;
  readonly events: readonly Event[];
}

/** Whether a pool can be used, what its limits leave, and what may be disrupted. */
export function explainNodePool({ nodePool, nodes, limits, budgets, events }: PoolQuestion): ObjectExplanation {
  const notes = [`${nodes} node${nodes === 1 ? '' : 's'}`];
  if (nodePool.spec.replicas !== undefined) {
    notes.push(`static: it keeps ${nodePool.spec.replicas} nodes, and pending pods never add one`);
  }
  for (const [name, { used, limit }] of Object.entries(limits)) notes.push(`limit ${name}: ${used} of ${limit} used`);
  for (const [reason, { allowed }] of Object.entries(budgets)) {
    notes.push(`${reason}: ${allowed === null ? 'no budget in force' : `${allowed} more may be disrupted now`}`);
  }
  return {
    ...base('NodePoolExplanation', nodePool, events),
    conditions: conditionsOf(nodePool.status?.conditions, NODE_POOL_CONDITIONS),
    notes,
  };
}

function base(
  kind: ObjectExplanation['kind'],
  object: KubeObject,
  events: readonly Event[],
): Pick<ObjectExplanation, 'apiVersion' | 'kind' | 'name' | 'deletionTimestamp' | 'events'> {
  const { name, deletionTimestamp } = object.metadata;
  return {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind,
    name,
    ...(deletionTimestamp ? { deletionTimestamp } : {}),
    events: eventsOf(object, events),
  };
}

/** In the order of the meanings, which is the order of a life; unknown types last. */
function conditionsOf(
  conditions: readonly Condition[] = [],
  meanings: Readonly<Record<string, ConditionMeaning>>,
): ConditionExplanation[] {
  const order = Object.keys(meanings);
  const rank = ({ type }: Condition): number => (order.includes(type) ? order.indexOf(type) : order.length);
  return conditions
    .toSorted((a, b) => rank(a) - rank(b))
    .map(({ type, status, reason, message, lastTransitionTime }) => {
      const meaning = meanings[type];
      const healthy = meaning?.healthy === undefined || meaning.healthy === status;
      return {
        type,
        status,
        ...(reason && reason !== type ? { reason } : {}),
        ...(message ? { message } : {}),
        ...(lastTransitionTime ? { since: lastTransitionTime } : {}),
        meaning: meaning?.[status] ?? '',
        healthy,
        ...(!healthy && meaning?.next ? { next: meaning.next } : {}),
      };
    });
}

function eventsOf(object: KubeObject, events: readonly Event[]): ObjectEvent[] {
  const time = (event: Event): string =>
    event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp ?? '';
  return events
    .filter(({ involvedObject: o }) => o.kind === object.kind && o.name === object.metadata.name)
    .toSorted((a, b) => (time(a) < time(b) ? -1 : 1))
    .slice(-EVENTS)
    .map((event) => ({
      type: event.type ?? 'Normal',
      reason: event.reason ?? '',
      message: event.message ?? '',
      ...(time(event) ? { time: time(event) } : {}),
      count: event.count ?? 1,
    }));
}
