import type { ConsolidationPolicy, DisruptionReason } from '../apis/node-pool.ts';
import type { PlannedNodeClaim, ScheduleOptions, StateNode } from '../scheduling/types.ts';

export type MethodName = 'Emptiness' | 'StaticDrift' | 'Drift' | 'MultiNodeConsolidation' | 'SingleNodeConsolidation';

export interface DisruptOptions {
  readonly schedule: Omit<ScheduleOptions, 'reservedOfferingMode' | 'enforceConsolidateAfter' | 'expired'>;
  readonly spotToSpotConsolidation: boolean;
  /** Names of nodes whose claim is already in a running command. */
  readonly queued: ReadonlySet<string>;
  /** Nodes that host capacity-buffer pods: never "empty" (3.11.7). */
  readonly bufferNodes: ReadonlySet<string>;
  /** Nodes that single-node consolidation did not get to last time: they go first. */
  readonly unseenNodes?: ReadonlySet<string>;
  /** Reads the caller's clock, in milliseconds: methods stop at their time limits. Absent: no limit. */
  readonly elapsed?: () => number;
}

/** Why a node is no candidate, or a candidate can't be disrupted. */
export interface Blocker {
  readonly code: BlockerCode;
  /** Upstream's wording where upstream has an event for it. */
  readonly message: string;
  /** Objects concerned, `kind/name` or `kind/namespace/name`. */
  readonly objects: readonly string[];
  /** The event upstream would publish, if any. */
  readonly event?: 'DisruptionBlocked' | 'Unconsolidatable';
  /** Of a budget: the kind of disruption that it allows no more of. */
  readonly reason?: DisruptionReason;
}

export type BlockerCode =
  | 'NoNodeClaim'
  | 'NoNode'
  | 'NotInitialized'
  | 'Deleting'
  | 'Nominated'
  | 'InQueue'
  | 'DoNotDisruptNode'
  | 'DoNotDisruptPod'
  | 'PodDisruptionBudget'
  | 'MultiplePodDisruptionBudgets'
  | 'NodePoolMissing'
  | 'InstanceTypeUnknown'
  | 'LabelMissing'
  | 'ConsolidationDisabled'
  | 'ConsolidateAfter'
  | 'WhenEmptyPolicy'
  | 'NotEmpty'
  | 'IsEmpty'
  | 'StaticNodePool'
  | 'HostsBufferPods'
  | 'Budget'
  | 'PodsUnschedulable'
  | 'NeedsSeveralNodes'
  | 'NotCheaper'
  | 'SpotToSpotDisabled'
  | 'SpotToSpotTooFewTypes'
  | 'MinValues'
  | 'BalancedScore'
  | 'UninitializedTarget'
  | 'NotDrifted';

export interface Command {
  readonly method: MethodName;
  readonly decision: 'delete' | 'replace';
  readonly reason: DisruptionReason;
  readonly candidates: readonly StateNode[];
  readonly replacements: readonly PlannedNodeClaim[];
  /** Existing nodes that receive the candidates' pods: node name → pods `ns/name`. */
  readonly placements: ReadonlyMap<string, readonly string[]>;
  /** Per hour, never negative for consolidation. */
  readonly savings: number;
}

/** What the Balanced policy makes of a command in one pool (karpenter-core.md 7.12). */
export interface Score {
  /** savings share ÷ disruption share; Infinity when nothing is disrupted. */
  readonly score: number;
  readonly savingsFraction: number;
  readonly disruptionFraction: number;
  readonly approved: boolean;
}

/** A consolidation that was possible, by pool: pools that are not Balanced approve of everything. */
export interface Move {
  readonly nodePool: string;
  readonly policy: ConsolidationPolicy;
  readonly approved: boolean;
  readonly score?: Score;
}

export interface MethodResult {
  readonly method: MethodName;
  readonly consolidationType: '' | 'empty' | 'multi' | 'single';
  /** Node names, sorted. */
  readonly candidates: readonly string[];
  /** NodePool → disruptions still allowed now for this method's reason. */
  readonly budgets: Readonly<Record<string, number>>;
  readonly commands: readonly Command[];
  /** What was weighed: of one node everything that was looked at, of several nodes what came of it in the end. */
  readonly moves: readonly Move[];
  /** The method's time limit cut it short. */
  readonly timedOut: boolean;
  /** Candidates were passed over for want of budget: finding nothing holds for these budgets only (karpenter-core.md 7.3.3). */
  readonly constrainedByBudgets: boolean;
  /** Candidates that time ran out for; to be handed in as `unseenNodes` next time. */
  readonly unseenNodes: readonly string[];
  /** Candidates that were looked at and refused, with why; and nodes that are no candidates. */
  readonly blocked: ReadonlyMap<string, readonly Blocker[]>;
}

/** What a method would look at. */
export interface Survey extends MethodResult {
  /** The candidates in the order in which consolidation and budgets take them, best savings first. */
  readonly ranking: readonly string[];
}
