import { parseNillableDuration } from '../apis/duration.ts';
import { silent, unconsolidatable } from './blockers.ts';
import { bySavingsRatio, isEmpty, isStatic } from './candidate.ts';
import { makeCommand } from './command.ts';
import { notYetConsolidatable } from './consolidation.ts';
import { finished, type Method, takeBudget } from './method.ts';

/** Deletes nodes that have nothing to move, all that the budgets allow in one command (karpenter-core.md 7.6). */
export const emptiness: Method = {
  name: 'Emptiness',
  reason: 'Empty',
  disruptionClass: 'graceful',
  consolidationType: 'empty',

  blocker(candidate, { options }) {
    const pool = candidate.nodePool;
    const name = pool.metadata.name;
    if (isStatic(candidate)) return silent('StaticNodePool', `NodePool "${name}" is static`, [`NodePool/${name}`]);
    if (parseNillableDuration(pool.spec.disruption?.consolidateAfter, '0s') === undefined) {
      const message = `NodePool "${name}" has consolidation disabled`;
      return unconsolidatable('ConsolidationDisabled', message, [`NodePool/${name}`]);
    }
    if (options.bufferNodes.has(candidate.name)) {
      return unconsolidatable('HostsBufferPods', `Node "${candidate.name}" has buffer pods`);
    }
    if (!isEmpty(candidate)) return silent('NotEmpty', 'Node has pods that would have to move');
    return notYetConsolidatable(candidate);
  },

  compute(candidates, budgets, context) {
    const sorted = [...candidates].sort(bySavingsRatio);
    const chosen = sorted.filter((candidate) => takeBudget(candidate, budgets, context));
    const constrained = chosen.length < sorted.length;
    if (chosen.length === 0) return finished([], constrained);
    const { wellKnown } = context;
    return finished([makeCommand({ method: 'Emptiness', wellKnown }, 'Empty', chosen, [], new Map())], constrained);
  },
};
