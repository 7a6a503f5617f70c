import type { Event, Pod } from '../kube/objects.ts';
import { isTerminal, isTerminating } from '../kube/pods.ts';
import { isOwnedByDaemonSet, isOwnedByNode, isProvisionable } from '../scheduling/pod-lifecycle.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { PodError, Results, TargetFailure, World } from '../scheduling/types.ts';
import { deadKeyWarnings } from './dead-keys.ts';
import type { EditContext } from './edit-context.ts';
import { type Fix, findFixes } from './find-fixes.ts';
import { type LastEvent, lastKarpenterEvent } from './karpenter-events.ts';
import type { Offer } from './offers.ts';
import { cheapestOffers, type NodeFacts, nodeFacts, type OtherPool, otherPools, protection } from './placement.ts';
import { type PlannedClaimReport, plannedClaimReport, podName } from './plan-report.ts';
import type { Solve } from './solve.ts';
import { type Asked, type PoolTypes, told } from './told-targets.ts';

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
  /** Rules of the pod that don't do what they seem to. */
  readonly warnings?: readonly string[];
  /** What to look at next, where Karpenter has nothing to do with it. */
  readonly next?: string;
  /** The node it is on, or would go to. */
  readonly node?: string;
  readonly nodeFacts?: NodeFacts;
  /** Of a running pod: what keeps it from being moved now. */
  readonly protected?: string;
  /** Of a running pod: where it would go if it had to be placed again: a node's name, a pool's, or null for nowhere. */
  readonly again?: { readonly node?: string; readonly nodePool?: string } | null;
  /** The NodeClaim that would be launched for it. */
  readonly newNodeClaim?: PlannedClaimReport;
  /** What that claim could become, cheapest first. */
  readonly offers?: readonly Offer[];
  /** Pools that would launch a node for it as well. */
  readonly otherPools?: readonly OtherPool[];
  readonly error?: Pick<PodError, 'code' | 'message'>;
  /** What Karpenter's own event says on the pod; absent where it keeps silent. */
  readonly event?: { readonly reason: 'FailedScheduling'; readonly message: string };
  /** What Karpenter has last said in the cluster. */
  readonly lastEvent?: LastEvent;
  /** Each pool (and node) that can't take it, nearest miss first, with every failed rule. */
  readonly targets: readonly TargetFailure[];
  /** The pools that were asked about, where not all were: `targets`, `fixes` and `instanceTypes` are of these. */
  readonly pools?: readonly string[];
  /** What each instance type of each pool comes to; only when it was asked for. */
  readonly instanceTypes?: readonly PoolTypes[];
  /** Edits that were tried and help. */
  readonly fixes: readonly Fix[];
  /** What the scheduler said last. */
  readonly scheduler?: string;
  /** Other pods, `ns/name`, of the same owner in the same state. */
  readonly alike?: readonly string[];
}

export interface PodQuestion extends Asked {
  readonly pod: Pod;
  readonly world: World;
  /** Every pod that waits for a node; it may or may not hold this one. */
  readonly pending: readonly Pod[];
  readonly solve: Solve;
  readonly wellKnown: ReadonlySet<string>;
  readonly closest: EditContext['closest'];
  readonly events?: readonly Event[];
}

/** Why a pod has no node, or which it would get; for one that runs, where and what else there is. */
export function explainPod({ events = [], ...question }: PodQuestion): PodExplanation {
  const { pod, pending } = question;
  const scheduler = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  const lastEvent = lastKarpenterEvent(pod, events);
  const warnings = deadKeyWarnings(pod, question.world);
  const base = {
    apiVersion: 'cli.karpenter.sh/v1alpha1',
    kind: 'PodExplanation',
    pod: podName(pod),
    targets: [],
    fixes: [],
    ...(warnings.length > 0 ? { warnings } : {}),
    ...(question.pools ? { pools: question.pools } : {}),
    ...(lastEvent ? { lastEvent } : {}),
    ...(scheduler?.message ? { scheduler: scheduler.message } : {}),
  } as const;
  const settled = settledState(pod);
  if (settled?.state === 'Bound' && settled.node)
    return { ...base, ...settled, ...whereItRuns(settled.node, question) };
  if (settled) return { ...base, ...settled };
  const pods = pending.includes(pod) ? pending : [...pending, pod];
  const results = question.solve(question.world, pods, pod);
  const note = isProvisionable(pod) ? {} : { note: 'the scheduler has not refused it yet; this is what would follow' };
  return { ...base, ...note, ...outcome(results, { ...question, pending: pods }) };
}

type Settled = Pick<PodExplanation, 'state' | 'node' | 'note' | 'next'>;

/** A pod that no pass has to find a place for, and what to look at. */
function settledState(pod: Pod): Settled | undefined {
  const { namespace = 'default', name } = pod.metadata;
  const node = pod.spec.nodeName;
  if (isTerminal(pod)) return { state: 'Ended', note: `phase ${pod.status?.phase}`, ...(node ? { node } : {}) };
  if (isTerminating(pod)) {
    const finalizers = pod.metadata.finalizers ?? [];
    const kept = finalizers.length > 0 ? { note: `finalizers keep it: ${finalizers.join(', ')}` } : {};
    return { state: 'Leaving', ...(node ? { node } : {}), ...kept };
  }
  if (node) return { state: 'Bound', node };
  if (pod.status?.nominatedNodeName) {
    return {
      state: 'Nominated',
      node: pod.status.nominatedNodeName,
      note: 'the scheduler is making room by preemption, so Karpenter launches nothing for it',
      next: `kubectl get pods -A --field-selector spec.nodeName=${pod.status.nominatedNodeName}`,
    };
  }
  const gates = pod.spec.schedulingGates ?? [];
  if (gates.length > 0) {
    return {
      state: 'NotOurs',
      note: `held back by scheduling gates: ${gates.map((gate) => gate.name).join(', ')}`,
      next: 'the controller that set the gates; it has to remove them from spec.schedulingGates',
    };
  }
  if (isOwnedByDaemonSet(pod)) {
    const described = `kubectl describe pod -n ${namespace} ${name}`;
    return {
      state: 'NotOurs',
      note: 'DaemonSet pods never cause nodes to be launched',
      next: `${described}: its node has to have room`,
    };
  }
  if (isOwnedByNode(pod)) {
    return {
      state: 'NotOurs',
      note: 'a static pod belongs to its node',
      next: 'the manifest on the node, and its kubelet',
    };
  }
  return undefined;
}

/** A pod on a node: what node that is, and what a pass would do with the pod now. */
function whereItRuns(
  node: string,
  question: Omit<PodQuestion, 'events'>,
): Pick<PodExplanation, 'nodeFacts' | 'protected' | 'again' | 'targets' | 'instanceTypes'> {
  const { pod, world, solve } = question;
  const facts = nodeFacts(node, world);
  const kept = protection(pod, world);
  const { nodeName: _, ...spec } = pod.spec;
  const waiting: Pod = { ...pod, spec };
  const pods = world.pods.map((other) => (other === pod ? waiting : other));
  const results = solve({ ...world, pods }, [waiting], waiting);
  const placement = results.existingNodes.find((placed) => placed.pods.includes(waiting));
  const claim = results.newNodeClaims[0];
  const considered = results.considered ?? results.podErrors.get(waiting)?.targets ?? [];
  return {
    ...(facts ? { nodeFacts: facts } : {}),
    ...(kept ? { protected: kept } : {}),
    again: placement
      ? { node: stateNodeName(placement.node) }
      : claim
        ? { nodePool: claim.nodePool.metadata.name }
        : null,
    ...told(
      considered.filter((target) => refuses(target) && (target.kind === 'NodePool' || target.name !== node)),
      considered,
      question,
    ),
  };
}

const refuses = ({ reasons }: TargetFailure): boolean => reasons.length > 0;

function outcome(
  results: Results,
  question: Omit<PodQuestion, 'events'>,
): Partial<PodExplanation> & Pick<PodExplanation, 'state'> {
  const { pod, world, pending, solve, wellKnown, closest, pools } = question;
  const error = results.podErrors.get(pod);
  if (error) {
    const all = [...(error.targets ?? refusedEverywhere(pod, error, world)), ...staticPools(world)];
    const { targets, instanceTypes } = told(all, all, question);
    const fixes = findFixes({ pod, world, pending, unplaced: results.podErrors, targets, solve, closest });
    return {
      state: 'NoPlace',
      error: { code: error.code, message: error.message },
      ...nextStep(pod, error),
      ...(error.optedOut
        ? { note: 'it keeps away from nodes of Karpenter, so none is launched for it' }
        : { event: { reason: 'FailedScheduling', message: `Failed to schedule pod, ${error.message}` } as const }),
      targets,
      ...(instanceTypes ? { instanceTypes } : {}),
      fixes: pools ? fixes.filter(({ nodePool }) => pools.includes(nodePool)) : fixes,
    };
  }
  const looked = results.considered ?? [];
  const seen = told(looked.filter(refuses), looked, question);
  const claim = results.newNodeClaims.find(({ pods }) => pods.includes(pod));
  if (claim) {
    const others = otherPools(pod, claim, results, world, solve, wellKnown, pools);
    return {
      state: 'NewNode',
      newNodeClaim: plannedClaimReport(claim, wellKnown),
      offers: cheapestOffers(claim, wellKnown),
      ...(others.length > 0 ? { otherPools: others } : {}),
      ...seen,
    };
  }
  const placement = results.existingNodes.find(({ pods }) => pods.includes(pod));
  const node = placement && stateNodeName(placement.node);
  const facts = node === undefined ? undefined : nodeFacts(node, world);
  if (node !== undefined) return { state: 'ExistingNode', node, ...(facts ? { nodeFacts: facts } : {}), ...seen };
  const message = 'the pass ended before its turn';
  return { state: 'NoPlace', error: { code: 'NotReached', message } };
}

/** Where the cause is no rule of a pool. */
function nextStep(
  { metadata: { namespace = 'default' } }: Pod,
  { code, message }: PodError,
): { readonly next?: string } {
  if (code === 'DRA')
    return { next: 'the ResourceClaims of the pod: Karpenter launches nothing for pods that have some' };
  if (code !== 'VolumeInvalid') return {};
  const claim = /PersistentVolumeClaim=(?:[^/,)]*\/)?([^,)]+)/.exec(message)?.[1];
  return { next: `kubectl describe pvc -n ${namespace}${claim ? ` ${claim}` : ''}` };
}

/** Pools that are not even tried, since they keep the number of nodes that they are told. */
function staticPools(world: World): readonly TargetFailure[] {
  return world.pools
    .filter(({ nodePool: { spec } }) => spec.replicas !== undefined)
    .map(({ nodePool: { metadata } }) => ({
      kind: 'NodePool',
      name: metadata.name,
      reasons: [{ code: 'StaticNodePool', message: 'static pool: pending pods never add nodes' }],
    }));
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
