import type { NodeClaim } from '../../apis/node-claim.ts';
import type { DisruptionReason, NodePool } from '../../apis/node-pool.ts';
import { BALANCED_K, type Score } from '../../disruption/index.ts';
import type { Event } from '../../events/recorder.ts';
import { NodeClaims, NodePools, Nodes } from '../../kube/resources.ts';
import type { StateNode } from '../../scheduling/types.ts';

const QUARTER_HOUR_MS = 900_000;
const MINUTE_MS = 60_000;

type Text = Pick<Event, 'reason' | 'message' | 'dedupeMs'>;

/** The same event on the node and on its claim; `dedupe` is added to the object's uid. */
function onBoth({ node, nodeClaim }: StateNode, text: Text, dedupe: readonly string[] = []): readonly Event[] {
  const type = 'Normal';
  return [
    ...(node
      ? [{ resource: Nodes, object: node, type, ...text, dedupe: [node.metadata.uid ?? '', ...dedupe] } as const]
      : []),
    ...(nodeClaim
      ? [
          {
            resource: NodeClaims,
            object: nodeClaim,
            type,
            ...text,
            dedupe: [nodeClaim.metadata.uid ?? '', ...dedupe],
          } as const,
        ]
      : []),
  ];
}

export function launching(claim: NodeClaim, reason: string): Event {
  const message = `Launching NodeClaim: ${reason}`;
  const dedupe = [claim.metadata.uid ?? '', reason];
  return { resource: NodeClaims, object: claim, type: 'Normal', reason: 'DisruptionLaunching', message, dedupe };
}

export function waitingOnReadiness(claim: NodeClaim): Event {
  return {
    resource: NodeClaims,
    object: claim,
    type: 'Normal',
    reason: 'DisruptionWaitingReadiness',
    message: 'Waiting on readiness to continue disruption',
    dedupe: [claim.metadata.uid ?? ''],
  };
}

export function terminating(candidate: StateNode, reason: string): readonly Event[] {
  const text = (kind: string): Text => ({ reason: 'DisruptionTerminating', message: `Disrupting ${kind}: ${reason}` });
  return [
    ...onBoth({ ...candidate, nodeClaim: undefined }, text('Node'), [reason]),
    ...onBoth({ ...candidate, node: undefined }, text('NodeClaim'), [reason]),
  ];
}

export function unconsolidatable(node: StateNode, message: string): readonly Event[] {
  return onBoth(node, { reason: 'Unconsolidatable', message, dedupeMs: QUARTER_HOUR_MS });
}

export function blocked(node: StateNode, message: string): readonly Event[] {
  return onBoth(node, { reason: 'DisruptionBlocked', message });
}

export function blockedByBudget(nodePool: NodePool, reason: DisruptionReason): Event {
  return {
    resource: NodePools,
    object: nodePool,
    type: 'Normal',
    reason: 'DisruptionBlocked',
    message: `No allowed disruptions for disruption reason ${reason} due to blocking budget`,
    dedupe: [nodePool.metadata.uid ?? '', reason],
    dedupeMs: MINUTE_MS,
  };
}

const dollars = (perHour: number): string => `$${perHour.toFixed(2)}`;

export function consolidationCandidate(node: StateNode, command: string, savings: number): readonly Event[] {
  const message = `Consolidation candidate: ${command} (savings: ${dollars(savings)})`;
  return onBoth(node, { reason: 'ConsolidationCandidate', message }, [command]);
}

/** How an approved move is rated, in upstream's words. */
export function scoreText({ score, savingsFraction, disruptionFraction }: Score): string {
  const percent = (share: number): string => `${(share * 100).toFixed(1)}%`;
  const times = Number.isFinite(score) ? score.toFixed(2) : '+Inf';
  const threshold = (1 / BALANCED_K).toFixed(2);
  return `score ${times} >= threshold ${threshold} (k: ${BALANCED_K}, savings ${percent(savingsFraction)}, disruption ${percent(disruptionFraction)})`;
}

export function consolidationApproved(node: StateNode, score: Score): readonly Event[] {
  return onBoth(node, { reason: 'ConsolidationApproved', message: scoreText(score) });
}

/** Of several nodes at once. */
export function consolidationApprovedIn(nodePool: NodePool, score: Score): Event {
  return {
    resource: NodePools,
    object: nodePool,
    type: 'Normal',
    reason: 'ConsolidationApproved',
    message: scoreText(score),
    dedupe: [nodePool.metadata.uid ?? ''],
  };
}

export function consolidationRejected(
  node: StateNode,
  command: string,
  why: string,
  savings: number,
): readonly Event[] {
  const message = `Consolidation rejected: ${command}, reason: ${why} (savings: ${dollars(savings)})`;
  return onBoth(node, { reason: 'ConsolidationRejected', message }, [command, why]);
}
