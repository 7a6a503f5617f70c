import type { NodePool } from '../apis/node-pool.ts';
import { applyCommand } from '../disruption/index.ts';
import { isReschedulable } from '../scheduling/pod-lifecycle.ts';
import { nodePoolName, stateNodeName } from '../scheduling/state-node.ts';
import type { World } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { commandContext, commandReport } from './command-report.ts';
import { disruptionOf } from './disruption.ts';
import { driftedWorld } from './drift-preview.ts';
import { priceIn } from './node-price.ts';
import { type PlannedClaimReport, plannedClaimReport } from './plan-report.ts';
import { staticClaim } from './static-claims.ts';

/** More nodes than this are not followed one by one. */
const MOST_FOLLOWED = 200;

export interface RollOut {
  /** What is launched in the course of it. */
  readonly launched: readonly PlannedClaimReport[];
  /** How often a pod has to move: some move to nodes that drift later. */
  readonly moves: number;
  /** Dollars an hour of all nodes afterwards; without those that were leaving before. */
  readonly price: number;
  /** Drift was not followed node by node: all pods of its nodes were packed at once. */
  readonly isEstimate: boolean;
}

/**
 * Replaces these nodes one after the other by the controller's own drift, in the world that each leaves to the next. Pods
 * that wait are left out: what is launched for them is another question.
 */
export function rollOut(analysis: Analysis, names: ReadonlySet<string>): RollOut {
  const { world } = analysis;
  const fixed = staticNodes(analysis, names);
  const moving = new Set([...names].filter((name) => !fixed.has(name)));
  const bound = analysis.of({ ...world, pods: world.pods.filter(({ spec }) => spec.nodeName) });
  const dynamic = moving.size > MOST_FOLLOWED ? packedAtOnce(bound, moving) : followed(bound, moving);
  const ofFixed = sum(world.nodes.filter((node) => fixed.has(stateNodeName(node))).map((node) => priceIn(world, node)));
  return {
    ...dynamic,
    launched: [...dynamic.launched, ...fixed.values()],
    price: dynamic.price - ofFixed + sum([...fixed.values()].map(({ cheapestPrice }) => cheapestPrice)),
  };
}

/** Each with what its pool makes in its place, whatever runs on it. */
function staticNodes({ world, wellKnown }: Analysis, names: ReadonlySet<string>): Map<string, PlannedClaimReport> {
  const pools = new Map(world.pools.map((pool) => [pool.nodePool.metadata.name, pool]));
  return new Map(
    world.nodes.flatMap((node) => {
      const pool = pools.get(nodePoolName(node) ?? '');
      const isStatic = names.has(stateNodeName(node)) && pool?.nodePool.spec.replicas !== undefined;
      return pool && isStatic ? [[stateNodeName(node), staticClaim(pool, wellKnown)] as const] : [];
    }),
  );
}

function followed(analysis: Analysis, names: ReadonlySet<string>): RollOut {
  const launched: PlannedClaimReport[] = [];
  let moves = 0;
  let world = driftedWorld(analysis.world, names);
  for (;;) {
    const [command] = names.size > 0 ? disruptionOf(analysis.of(world)).run('Drift').commands : [];
    if (!command) return { launched, moves, price: priceOf(world), isEstimate: false };
    const report = commandReport(command, commandContext(world, analysis.wellKnown));
    launched.push(...report.replacements);
    moves += report.podsDisrupted;
    world = applyCommand(world, command);
  }
}

/** Limits don't count: nodes are replaced a few at a time, and each gives its share back. */
function packedAtOnce(analysis: Analysis, names: ReadonlySet<string>): RollOut {
  const { world, wellKnown } = analysis;
  const moving = world.pods.filter((pod) => names.has(pod.spec.nodeName ?? '') && isReschedulable(pod));
  const nodes = world.nodes.filter((node) => !names.has(stateNodeName(node)));
  const pools = world.pools.map((pool) => ({ ...pool, nodePool: unlimited(pool.nodePool) }));
  const results = analysis.solve({ ...world, nodes, pools }, moving, false);
  const launched = results.newNodeClaims.map((claim) => plannedClaimReport(claim, wellKnown));
  const price = priceOf({ ...world, nodes }) + sum(launched.map(({ cheapestPrice }) => cheapestPrice));
  return { launched, moves: moving.length, price, isEstimate: true };
}

/** Of the nodes that stay. */
function priceOf(world: World): number {
  return sum(world.nodes.filter((node) => !node.markedForDeletion).map((node) => priceIn(world, node)));
}

function sum(prices: readonly (number | undefined)[]): number {
  return prices.reduce<number>((total, price) => total + (price ?? 0), 0);
}

function unlimited(nodePool: NodePool): NodePool {
  const { limits: _, ...spec } = nodePool.spec;
  return { ...nodePool, spec };
}
