import type { Pod } from '../kube/objects.ts';
import { isTerminal, isTerminating } from '../kube/pods.ts';
import { isOwnedByDaemonSet, isOwnedByNode, isProvisionable } from '../scheduling/pod-lifecycle.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { PodError, Results, TargetFailure, World } from '../scheduling/types.ts';
import type { EditContext } from './edit-context.ts';
import { type Fix, findFixes } from './find-fixes.ts';
import { type PlannedClaimReport, plannedClaimReport, podName } from './plan-report.ts';
import type { Solve } from './solve.ts';

export type PodState =
  | 'Bound'
  | 'Ended'
  | 'Leaving'
  /** A node was chosen and the pod waits for room there. */
  | 'Nominated'
  | 'NewNode'
  | 'ExistingNode'
  | 'NoPlace'
  /** Karpenter doesn't look at it. */
  | 'NotOurs';

export interface PodExplanation {
  readonly apiVersion: 'cli.karpenter.sh/v1alpha1';
  readonly kind: 'PodExplanation';
  /** `ns/name`. */
  readonly pod: string;
  readonly state: PodState;
  /** Why Karpenter doesn't look at it, or doesn't yet. */
  readonly note?: string;
  /** The node it is on, or would go to. */
  readonly node?: string;
  /** The NodeClaim that would be launched for it. */
  readonly newNodeClaim?: PlannedClaimReport;
  readonly error?: Pick<PodError, 'code' | 'message'>;
  /** What Karpenter's own event says on the pod; absent where it keeps silent. */
  readonly event?: { readonly reason: 'FailedScheduling'; readonly message: string };
  /** Each pool (and node) that can't take it, nearest miss first, with every failed rule. */
  readonly targets: readonly TargetFailure[];
  /** Edits that were tried and help. */
  readonly fixes: readonly Fix[];
  /** What the scheduler said last. */
  readonly scheduler?: string;
}

export interface PodQuestion {
  readonly pod: Pod;
  readonly world: World;
  /** Every pod that waits for a node; it may or may not hold this one. */
  readonly pending: readonly Pod[];
  readonly solve: Solve;
  readonly wellKnown: ReadonlySet<string>;
  readonly closest: EditContext['closest'];
}

/** Why a pod has no node, or which it would get. */
export function explainPod({ pod, world, pending, solve, wellKnown, closest }: PodQuestion): PodExplanation {
  const scheduler = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  const base = {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'PodExplanation',
    pod: podName(pod),
    targets: [],
    fixes: [],
    ...(scheduler?.message ? { scheduler: scheduler.message } : {}),
  } as const;
  const settled = settledState(pod);
  if (settled) return { ...base, ...settled };
  const pods = pending.includes(pod) ? pending : [...pending, pod];
  const results = solve(world, pods, pod);
  const note = isProvisionable(pod) ? {} : { note: 'the scheduler has not refused it yet; this is what would follow' };
  return { ...base, ...note, ...outcome(pod, results, { world, pending: pods, solve, wellKnown, closest }) };
}

function settledState(pod: Pod): Pick<PodExplanation, 'state' | 'node' | 'note'> | undefined {
  if (isTerminal(pod)) return { state: 'Ended', note: `phase ${pod.status?.phase}` };
  if (isTerminating(pod)) return { state: 'Leaving', ...(pod.spec.nodeName ? { node: pod.spec.nodeName } : {}) };
  if (pod.spec.nodeName) return { state: 'Bound', node: pod.spec.nodeName };
  if (pod.status?.nominatedNodeName) return { state: 'Nominated', node: pod.status.nominatedNodeName };
  const gates = pod.spec.schedulingGates ?? [];
  if (gates.length > 0) {
    return { state: 'NotOurs', note: `held back by scheduling gates: ${gates.map(({ name }) => name).join(', ')}` };
  }
  if (isOwnedByDaemonSet(pod)) return { state: 'NotOurs', note: 'DaemonSet pods never cause nodes to be launched' };
  if (isOwnedByNode(pod)) return { state: 'NotOurs', note: 'a static pod belongs to its node' };
  return undefined;
}

function outcome(
  pod: Pod,
  results: Results,
  { world, pending, solve, wellKnown, closest }: Omit<PodQuestion, 'pod'>,
): Partial<PodExplanation> & Pick<PodExplanation, 'state'> {
  const error = results.podErrors.get(pod);
  if (error) {
    const targets = error.targets ?? refusedEverywhere(pod, error, world);
    return {
      state: 'NoPlace',
      error: { code: error.code, message: error.message },
      ...(error.optedOut
        ? {}
        : { event: { reason: 'FailedScheduling', message: `Failed to schedule pod, ${error.message}` } as const }),
      targets,
      fixes: findFixes({ pod, world, pending, unplaced: results.podErrors, targets, solve, closest }),
    };
  }
  const claim = results.newNodeClaims.find(({ pods }) => pods.includes(pod));
  if (claim) return { state: 'NewNode', newNodeClaim: plannedClaimReport(claim, wellKnown) };
  const placement = results.existingNodes.find(({ pods }) => pods.includes(pod));
  if (placement) return { state: 'ExistingNode', node: stateNodeName(placement.node) };
  const message = 'the pass ended before its turn';
  return { state: 'NoPlace', error: { code: 'NotReached', message } };
}

/** A pod that is refused before any pool is looked at is refused by all of them, for the same reason. */
function refusedEverywhere(pod: Pod, error: PodError, world: World): readonly TargetFailure[] {
  if (error.code !== 'RestrictedLabel') return [];
  const keys = Object.keys(pod.spec.nodeSelector ?? {}).filter((key) => error.message.includes(key));
  const known = /expected one of: map\[([^\]]*)\]/.exec(error.message)?.[1]?.replaceAll(':{}', '');
  const reasons = keys.map((subject) => ({
    code: 'UnknownLabelValue' as const,
    message: error.message,
    pod: `${subject} In [${pod.spec.nodeSelector?.[subject]}]`,
    ...(known ? { other: known.split(' ').join(', ') } : {}),
    subject,
  }));
  if (reasons.length === 0) return [];
  return world.pools.map(({ nodePool }) => ({ kind: 'NodePool', name: nodePool.metadata.name, reasons }));
}
