import { ANNOTATION_DO_NOT_DISRUPT } from '../apis/labels.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { withCondition } from '../apis/with-condition.ts';
import { conditionIsTrue } from '../kube/conditions.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { StateNode, World } from '../scheduling/types.ts';

/**
 * The world without what only says "not now" or "not this one": budgets, PodDisruptionBudgets, do-not-disrupt, nominations,
 * consolidateAfter, and policies that hold consolidation back. What still keeps a node there is a matter of room and price.
 */
export function freedWorld(world: World): World {
  return {
    ...world,
    pools: world.pools.map((pool) => ({ ...pool, nodePool: freedPool(pool.nodePool) })),
    nodes: world.nodes.map((node) => freedNode(node, world.now)),
    pods: world.pods.map(unprotected),
    podDisruptionBudgets: [],
  };
}

function freedPool(nodePool: NodePool): NodePool {
  const disruption = {
    consolidateAfter: '0s',
    consolidationPolicy: 'WhenEmptyOrUnderutilized',
    budgets: [],
  } as const;
  return { ...nodePool, spec: { ...nodePool.spec, disruption } };
}

function freedNode({ nominatedUntil: _, ...node }: StateNode, now: number): StateNode {
  const claim = node.nodeClaim;
  return {
    ...node,
    ...(node.node ? { node: unprotected(node.node) } : {}),
    ...(claim ? { nodeClaim: consolidatable(unprotected(claim), now) } : {}),
  };
}

function consolidatable(claim: NonNullable<StateNode['nodeClaim']>, now: number): typeof claim {
  if (conditionIsTrue(claim, 'Consolidatable')) return claim;
  const conditions = withCondition(claim.status?.conditions ?? [], { type: 'Consolidatable', status: 'True' }, now);
  return { ...claim, status: { ...claim.status, conditions } };
}

/** The very object where it has no such annotation. */
function unprotected<T extends KubeObject>(object: T): T {
  const { annotations } = object.metadata;
  if (annotations?.[ANNOTATION_DO_NOT_DISRUPT] === undefined) return object;
  const { [ANNOTATION_DO_NOT_DISRUPT]: _, ...rest } = annotations;
  return { ...object, metadata: { ...object.metadata, annotations: rest } };
}
