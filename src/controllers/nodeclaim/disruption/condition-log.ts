import { CONSOLIDATABLE, DRIFTED, INITIALIZED, LAUNCHED } from '../../../apis/condition-types.ts';
import type { ConditionSet } from '../../../apis/conditions.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { NodePool } from '../../../apis/node-pool.ts';
import { findCondition } from '../../../kube/conditions.ts';
import type { Logger } from '../../../logging/logger.ts';

/** Says at debug level, in upstream's words, which of the two conditions has come or gone (v1.14.1 nodeclaim/disruption). */
export function logConditions(log: Logger, nodePool: NodePool, claim: NodeClaim, conditions: ConditionSet): void {
  const node = { Node: { name: claim.status?.nodeName ?? '' } };
  const change = (type: string): 'came' | 'went' | undefined => {
    const [was, is] = [findCondition(claim, type) !== undefined, conditions.isTrue(type)];
    return was === is ? undefined : is ? 'came' : 'went';
  };
  const drifted = change(DRIFTED);
  if (drifted === 'came') log.debug('marking drifted', { ...node, reason: conditions.get(DRIFTED)?.reason });
  else if (drifted === 'went')
    log.debug(
      conditions.isTrue(LAUNCHED)
        ? 'removing drifted status condition, not drifted'
        : "removing drift status condition, isn't launched",
      node,
    );
  const consolidatable = change(CONSOLIDATABLE);
  if (consolidatable === 'came') log.debug('marking consolidatable', node);
  else if (consolidatable === 'went') {
    const reason = whyNot(nodePool, conditions);
    log.debug('removing consolidatable status condition', { ...node, reason });
  }
}

function whyNot({ spec }: NodePool, conditions: ConditionSet): string {
  if (spec.disruption?.consolidateAfter === 'Never') return 'consolidation is disabled';
  return conditions.isTrue(INITIALIZED) ? 'consolidateAfter window not yet elapsed' : "nodeclaim isn't initialized";
}
