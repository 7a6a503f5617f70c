import type { NodeClaim } from '../apis/node-claim.ts';
import { LAUNCH_MS, REGISTRATION_MS } from '../controllers/nodeclaim/lifecycle/deadlines.ts';
import { initializationObstacles } from '../controllers/nodeclaim/lifecycle/initialization-obstacles.ts';
import { conditionIsTrue, findCondition } from '../kube/conditions.ts';
import type { Node } from '../kube/objects.ts';
import { formatTimestamp } from '../kube/timestamp.ts';

const STAGES = ['Launched', 'Registered', 'Initialized'] as const;
type Stage = (typeof STAGES)[number];

/** A step of a claim's life that is done. */
export interface StageReport {
  readonly stage: Stage;
  readonly at: string;
  /** Seconds since the step before it, or since the claim was made. */
  readonly seconds: number;
}

/** The step at which a claim is, and what it waits for. */
export interface StuckReport {
  readonly stage: Stage;
  readonly since: string;
  /** What is missing, each in the words of the condition that the controller writes; empty when it is only a matter of time. */
  readonly waitsFor: readonly string[];
  /** When the controller gives the claim up and deletes it. */
  readonly givenUpAt?: string;
  readonly next: string;
}

const NEXT: Readonly<Record<Stage, string>> = {
  Launched: "what the provider says; and the conditions of the claim's node class",
  Registered: 'whether the instance runs, reaches the API server, and registers with the provider id of the claim',
  Initialized: 'kubectl describe node: its Ready condition, its taints, its allocatable resources',
};

/** Steps that are done, in order. */
export function stagesOf(claim: NodeClaim): readonly StageReport[] {
  let before = Date.parse(claim.metadata.creationTimestamp ?? '');
  const stages: StageReport[] = [];
  for (const stage of STAGES) {
    const condition = findCondition(claim, stage);
    const at = Date.parse(condition?.lastTransitionTime ?? '');
    if (condition?.status !== 'True' || Number.isNaN(at)) break;
    const took = Number.isNaN(before) ? 0 : Math.max(0, Math.round((at - before) / 1000));
    stages.push({ stage, at: formatTimestamp(at), seconds: took });
    before = at;
  }
  return stages;
}

/** Undefined for a claim that is initialized, or on its way out. */
export function stuckAt(claim: NodeClaim, node: Node | undefined): StuckReport | undefined {
  const stage = STAGES.find((name) => !conditionIsTrue(claim, name));
  if (!stage || claim.metadata.deletionTimestamp) return undefined;
  const since = sinceOf(claim, stage);
  const allowed = { Launched: LAUNCH_MS, Registered: REGISTRATION_MS, Initialized: undefined }[stage];
  return {
    stage,
    since: Number.isNaN(since) ? '' : formatTimestamp(since),
    waitsFor: waitsFor(claim, node, stage),
    ...(allowed === undefined || Number.isNaN(since) ? {} : { givenUpAt: formatTimestamp(since + allowed) }),
    next: NEXT[stage],
  };
}

/** The condition is there as Unknown from the beginning; where it isn't, the claim's own age is. */
function sinceOf(claim: NodeClaim, stage: Stage): number {
  const since = findCondition(claim, stage)?.lastTransitionTime ?? claim.metadata.creationTimestamp;
  return Date.parse(since ?? '');
}

function waitsFor(claim: NodeClaim, node: Node | undefined, stage: Stage): readonly string[] {
  if (stage === 'Initialized' && node) return initializationObstacles(claim, node).map(({ message }) => message);
  const { reason, message } = findCondition(claim, stage) ?? {};
  if (stage === 'Registered') return [message || 'no node with the provider id of the claim has joined the cluster'];
  const said = [reason === stage ? undefined : reason, message].filter(
    (text) => text && text !== 'AwaitingReconciliation',
  );
  return said.length > 0 ? [said.join(': ')] : [];
}
