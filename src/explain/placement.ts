/** Where a pod is or would be, and what else was looked at. */
import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_ZONE } from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';
import { byWeight } from '../scheduling/node-pool-template.ts';
import { PdbLimits } from '../scheduling/pdb-limits.ts';
import { doNotDisrupt } from '../scheduling/pod-lifecycle.ts';
import { nodeLabels, nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { PlannedNodeClaim, Results, World } from '../scheduling/types.ts';
import { priceIn } from './node-price.ts';
import { type Offer, offersOf } from './offers.ts';
import type { Solve } from './solve.ts';

const OFFERS = 5;
const POOLS = 5;

/** The node of a pod. */
export interface NodeFacts {
  readonly nodePool: string | null;
  readonly instanceType: string | null;
  readonly capacityType: string | null;
  readonly zone: string | null;
  /** Per hour. */
  readonly price: number | null;
}

export interface OtherPool {
  readonly nodePool: string;
  /** What it would launch first. */
  readonly offer: Offer;
  /** Why it isn't the one. */
  readonly why: string;
}

export function nodeFacts(name: string, world: World): NodeFacts | undefined {
  const node = world.nodes.find((candidate) => stateNodeName(candidate) === name);
  if (!node) return undefined;
  const labels = nodeLabels(node);
  return {
    nodePool: nodePoolName(node) ?? null,
    instanceType: labels[LABEL_INSTANCE_TYPE] ?? null,
    capacityType: labels[LABEL_CAPACITY_TYPE] ?? null,
    zone: labels[LABEL_ZONE] ?? null,
    price: priceIn(world, node) ?? null,
  };
}

/** What keeps the pod from being moved now; undefined when nothing does. */
export function protection(pod: Pod, { podDisruptionBudgets, now }: World): string | undefined {
  if (doNotDisrupt(pod, now).state === 'active') return 'the annotation karpenter.sh/do-not-disrupt';
  const blocked = new PdbLimits(podDisruptionBudgets).firstBlocked([pod], now)?.budgets ?? [];
  return blocked.length > 0
    ? `PodDisruptionBudget ${blocked.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(', ')}`
    : undefined;
}

/** The cheapest that the claim may become. */
export function cheapestOffers(claim: PlannedNodeClaim, wellKnown: ReadonlySet<string>): readonly Offer[] {
  return offersOf(claim, wellKnown, OFFERS);
}

/** Pools that would have launched a node for the pod as well, each asked alone. */
export function otherPools(
  pod: Pod,
  chosen: PlannedNodeClaim,
  { considered = [] }: Results,
  world: World,
  solve: Solve,
  wellKnown: ReadonlySet<string>,
  among?: readonly string[],
): readonly OtherPool[] {
  const willing = new Set(
    considered.flatMap(({ kind, name, reasons }) => (kind === 'NodePool' && reasons.length === 0 ? [name] : [])),
  );
  const { name: own } = chosen.nodePool.metadata;
  const pools = world.pools.filter(
    ({ nodePool: { metadata } }) =>
      metadata.name !== own && willing.has(metadata.name) && (among?.includes(metadata.name) ?? true),
  );
  return pools.slice(0, POOLS).flatMap((pool) => {
    const [claim] = solve({ ...world, pools: [pool] }, [pod], false).newNodeClaims;
    const [offer] = claim ? offersOf(claim, wellKnown, 1) : [];
    if (!offer) return [];
    const weight = (chosen.nodePool.spec.weight ?? 0) - (pool.nodePool.spec.weight ?? 0);
    const why =
      byWeight(chosen.nodePool, pool.nodePool) > 0
        ? chosen.pods[0] === pod
          ? `it came first, but had no room left when it was the pod's turn`
          : `a node of ${own} was planned for other pods already, and has room`
        : weight > 0
          ? `${own} has the higher weight`
          : `of equal weight, and ${own} goes first by name`;
    return [{ nodePool: pool.nodePool.metadata.name, offer, why }];
  });
}
