import { conditionIsTrue } from '../kube/conditions.ts';
import { parseQuantityMilli } from '../kube/quantity.ts';
import { templateRequirements } from '../scheduling/node-pool-template.ts';
import { nodePoolName } from '../scheduling/state-node.ts';
import type { PlannedNodeClaim } from '../scheduling/types.ts';
import { silent } from './blockers.ts';
import { type Candidate, isStatic } from './candidate.ts';
import { makeCommand } from './command.ts';
import { finished, type Method, type MethodContext } from './method.ts';
import type { Command } from './types.ts';

/** How many more nodes `limits.nodes` lets a pool have; deleting ones still count. */
function headroom(candidate: Candidate, nodes: number): number {
  const limit = candidate.nodePool.spec.limits?.nodes;
  return limit === undefined ? Number.POSITIVE_INFINITY : Math.max(0, parseQuantityMilli(limit) / 1000 - nodes);
}

/** Replaces drifted nodes of static pools one for one, as far as budget and node limit go (karpenter-core.md 7.8). */
export const staticDrift: Method = {
  name: 'StaticDrift',
  reason: 'Drifted',
  disruptionClass: 'eventual',
  consolidationType: '',

  blocker(candidate) {
    const name = candidate.nodePool.metadata.name;
    if (!isStatic(candidate)) return silent('NotDrifted', `NodePool "${name}" is not static`);
    if (conditionIsTrue(candidate.node.nodeClaim, 'Drifted')) return undefined;
    return silent('NotDrifted', 'Node is as its NodePool wants it');
  },

  compute(candidates, budgets, context) {
    const commands: Command[] = [];
    let constrained = false;
    for (const [pool, members] of Map.groupBy(candidates, (c) => c.nodePool.metadata.name)) {
      const budget = budgets.get(pool) ?? 0;
      constrained ||= budget < members.length;
      const first = members[0];
      if (!first || budget === 0) continue;
      const nodes = context.index.world.nodes.filter((n) => nodePoolName(n) === pool && n.nodeClaim);
      const staying = nodes.filter((n) => !n.markedForDeletion).length;
      // A pool that is still scaling down picks its own victims first.
      if (staying > (first.nodePool.spec.replicas ?? 0)) continue;
      const count = Math.min(budget, members.length, headroom(first, nodes.length));
      const sorted = [...members].sort((a, b) => (a.name < b.name ? -1 : 1));
      for (const candidate of sorted.slice(0, count)) commands.push(replace(candidate, context));
    }
    return finished(commands, constrained);
  },
};

/** The replacement is the pool's template as it stands: nothing is packed. */
function replace(candidate: Candidate, context: MethodContext): Command {
  const { wellKnown } = context;
  const claim: PlannedNodeClaim = {
    nodePool: candidate.nodePool,
    pods: [],
    instanceTypes: [],
    requirements: templateRequirements(candidate.nodePool),
    requests: {},
    annotations: {},
  };
  return makeCommand({ method: 'StaticDrift', wellKnown }, 'Drifted', [candidate], [claim], new Map());
}
