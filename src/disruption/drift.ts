import { conditionIsTrue, findCondition } from '../kube/conditions.ts';
import { blocked, silent } from './blockers.ts';
import { type Candidate, isStatic } from './candidate.ts';
import { makeCommand } from './command.ts';
import { finished, hasBudget, type Method } from './method.ts';
import { describeHomeless, homelessObjects } from './simulation.ts';

function driftedSince(candidate: Candidate): number {
  return Date.parse(findCondition(candidate.node.nodeClaim, 'Drifted')?.lastTransitionTime ?? '') || 0;
}

/** The longest drifted first; nodes with nothing to move before all others. */
function inOrder(candidates: readonly Candidate[]): Candidate[] {
  const byAge = [...candidates].sort((a, b) => driftedSince(a) - driftedSince(b) || (a.name < b.name ? -1 : 1));
  const isFree = (c: Candidate): boolean => c.reschedulablePods.length === 0;
  return [...byAge.filter(isFree), ...byAge.filter((c) => !isFree(c))];
}

/** Replaces one drifted node of a dynamic pool by whatever its pods need (karpenter-core.md 7.7). */
export const drift: Method = {
  name: 'Drift',
  reason: 'Drifted',
  disruptionClass: 'eventual',
  consolidationType: '',

  blocker(candidate) {
    const name = candidate.nodePool.metadata.name;
    if (isStatic(candidate)) return silent('StaticNodePool', `NodePool "${name}" is static`, [`NodePool/${name}`]);
    if (conditionIsTrue(candidate.node.nodeClaim, 'Drifted')) return undefined;
    return silent('NotDrifted', 'Node is as its NodePool wants it');
  },

  *compute(candidates, budgets, context) {
    let constrained = false;
    for (const candidate of inOrder(candidates)) {
      if (!hasBudget(candidate, budgets, context)) {
        constrained = true;
        continue;
      }
      yield;
      const outcome = context.simulate([candidate.node], false);
      if (outcome.homeless.size > 0) {
        const message = describeHomeless(outcome.homeless);
        context.block(candidate.name, blocked('PodsUnschedulable', message, homelessObjects(outcome.homeless)));
        continue;
      }
      const { wellKnown } = context;
      const command = makeCommand(
        { method: 'Drift', wellKnown },
        'Drifted',
        [candidate],
        outcome.newNodeClaims,
        outcome.placements,
      );
      return finished([command], constrained);
    }
    return finished([], constrained);
  },
};
