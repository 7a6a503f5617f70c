/**
 * What the packer is given and what it answers. All of it is plain data: no clock, no client, no provider. The caller
 * (the provisioner, the disruption engine, `plan`, `explain`) builds a World and hands it in.
 */
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { LabelRules } from '../apis/restricted-labels.ts';
import type {
  CSINode,
  DaemonSet,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ResourceList,
  StorageClass,
} from '../kube/objects.ts';
import type { InstanceType } from './instance-type.ts';
import type { Requirements } from './requirements.ts';
import type { Resources } from './resources.ts';
import type { TypeVerdict } from './type-verdicts.ts';
import type { UnsupportedVolumes } from './volumes.ts';

export type { TypeVerdict };

/** A NodeClaim and its Node joined by providerID, with what cluster state knows beyond both objects. */
export interface StateNode {
  readonly node?: Node;
  readonly nodeClaim?: NodeClaim;
  /** Cluster state's explicit mark, OR the claim or node is deleting (karpenter-core.md 8.6). */
  readonly markedForDeletion: boolean;
  /** Epoch milliseconds until which the node counts as nominated; absent or past means it is not. */
  readonly nominatedUntil?: number;
}

export interface PoolAndTypes {
  readonly nodePool: NodePool;
  /** As the provider returned them for this pool (overlays applied). */
  readonly instanceTypes: readonly InstanceType[];
}

/** A frozen cluster: everything that scheduling and disruption read. */
export interface World {
  /** Every NodePool of the cluster, usable or not; order is irrelevant. */
  readonly pools: readonly PoolAndTypes[];
  readonly nodes: readonly StateNode[];
  /** Nodes that can't be told apart from others yet (karpenter-core.md 8.2): nothing is put there, but who is there counts. */
  readonly unnotedNodes?: readonly Node[];
  /** Claims whose launch keeps failing: no nodes yet, but their pools' limits count them. */
  readonly stalledClaims?: readonly NodeClaim[];
  /** Every pod of the cluster, pending and bound. */
  readonly pods: readonly Pod[];
  readonly daemonSets: readonly DaemonSet[];
  readonly namespaces: readonly Namespace[];
  readonly persistentVolumeClaims: readonly PersistentVolumeClaim[];
  readonly persistentVolumes: readonly PersistentVolume[];
  readonly storageClasses: readonly StorageClass[];
  readonly csiNodes: readonly CSINode[];
  readonly podDisruptionBudgets: readonly PodDisruptionBudget[];
  /** Defaults that the API will give to the pods of DaemonSets. */
  readonly limitRanges?: readonly LimitRange[];
  /** Epoch milliseconds: "now" for every rule that looks at time. */
  readonly now: number;
}

export interface ScheduleOptions {
  readonly preferencePolicy: 'Respect' | 'Ignore';
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  /** Strict while provisioning, Fallback in disruption simulations (karpenter-core.md 4.9). */
  readonly reservedOfferingMode: 'Strict' | 'Fallback';
  readonly reservedCapacity: boolean;
  /** Keep pods off nodes still inside consolidateAfter (consolidation simulations only, 4.5.2). */
  readonly enforceConsolidateAfter: boolean;
  readonly ignoreDRARequests: boolean;
  /** Build the structured reasons of failures. Off in hot loops. */
  readonly reasons: boolean;
  /** With `reasons`: only this pod's, where thousands may fail; the others' errors are blank. */
  readonly reasonsFor?: Pod;
  /** Keys beyond WELL_KNOWN_LABELS that the provider declares well known. */
  readonly wellKnownLabels: ReadonlySet<string>;
  /** Decide as upstream v1.14.1 also where test/parity/differences.md lists a fault of it that is mended here. */
  readonly keepKnownFaults?: boolean;
  /** Domains that users may not set labels in, beyond karpenter.sh; the provider's. */
  readonly restrictedLabelDomains?: ReadonlySet<string>;
  /** Label key → the only values that make sense; the provider's. */
  readonly wellKnownValues?: LabelRules['wellKnownValues'];
  /** The key under which an offering names its reservation; the provider's. */
  readonly reservationIDLabel?: string;
  /** Volumes that no node of the provider can have. */
  readonly unsupportedVolumes?: UnsupportedVolumes;
  /** Say which zones the pods that wait are bound to. */
  readonly effectiveZones?: boolean;
  /** Called after each attempt; true ends the pass with what has been placed. */
  readonly expired?: () => boolean;
  /** How many passes in a row have ended before the pod's turn; those that have waited longest go first. Zero unless given. */
  readonly passesMissed?: (pod: Pod) => number;
}

/** Why one rule refused one pod; `code` is stable, text is rendered at the edge. */
export interface Reason {
  readonly code: ReasonCode;
  /** Upstream's wording, as in its FailedScheduling event. */
  readonly message: string;
  /** The pod's side and the pool's or node's side of the rule, printed. */
  readonly pod?: string;
  readonly other?: string;
  /** The label key, resource, taint, port, topology key or claim the rule is about. */
  readonly subject?: string;
  /** Objects concerned, as `kind/name` or `kind/namespace/name`. */
  readonly objects?: readonly string[];
  /** Of a limit: what nodes that are planned before this pod take of it, each counted as the largest it may become. */
  readonly planned?: string;
  /** For instance-type rules: how many types survive each step, in order. */
  readonly funnel?: readonly FunnelStep[];
  /** Where size is what no type has: what is asked for, and the most that is on any type. */
  readonly size?: SizeFacts;
  /** Where everything that fits is sold out: what that is, cheapest first. */
  readonly soldOut?: readonly SoldOut[];
  /** For rules about other pods. */
  readonly topology?: TopologyFacts;
}

/** Instance types left after one more thing has been asked. */
export interface FunnelStep {
  /** `instance types` to begin with, a label key, `size`, `limits` or `on sale`. */
  readonly step: string;
  readonly left: number;
  /** What was asked, printed. */
  readonly asked?: string;
}

/** Quantities by resource, only of resources that are short. */
export interface SizeFacts {
  readonly pod: ResourceList;
  /** What each DaemonSet takes of every node. */
  readonly daemons: readonly { readonly name: string; readonly requests: ResourceList }[];
  /** The most that is left of each resource on any type, system overhead taken off, before daemons. */
  readonly most: ResourceList;
}

/** An offering that would do, were it available. */
export interface SoldOut {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  /** RFC 3339; absent when the provider doesn't know. */
  readonly until?: string;
}

/** A rule about where other pods are, with what it counts. */
export interface TopologyFacts {
  readonly rule: 'TopologySpread' | 'PodAffinity' | 'PodAntiAffinity';
  /** The label that the domains are values of. */
  readonly key: string;
  /** Which pods count, printed; empty for all. */
  readonly selector: string;
  /** It is the rule of the pods that are listed, against pods like this one. */
  readonly ofOthers: boolean;
  readonly maxSkew?: number;
  readonly minDomains?: number;
  /** Domains that the rule knows, by name; for hostnames only those with pods. */
  readonly domains: readonly TopologyDomainFacts[];
}

export interface TopologyDomainFacts {
  readonly domain: string;
  readonly count: number;
  /** The first few, `namespace/name`; those that this pass has placed are among them. */
  readonly pods: readonly string[];
  /** Whether the rule allows the pod there. */
  readonly allowed: boolean;
  /** Why nothing of the pool can be there all the same. */
  readonly unreachable?: string;
}

export type ReasonCode =
  | 'TaintNotTolerated'
  | 'RequirementsIncompatible'
  | 'UnknownLabelValue'
  | 'InsufficientResources'
  | 'NoInstanceType'
  | 'NoOffering'
  | 'MinValues'
  | 'HostPortConflict'
  | 'VolumeLimit'
  | 'VolumeTopology'
  | 'VolumeInvalid'
  | 'TopologySpread'
  | 'PodAffinity'
  | 'PodAntiAffinity'
  | 'NodePoolLimit'
  | 'NodePoolNotReady'
  | 'NoNodePools'
  | 'StaticNodePool'
  | 'ReservedOffering'
  | 'DRA'
  | 'RestrictedLabel'
  | 'ConsolidateAfter'
  | 'NotReached'
  /** Of a pod that nobody asked about. */
  | 'Unexplained';

/** One failed rule of one pool (or existing node). */
export interface TargetFailure {
  readonly kind: 'NodePool' | 'Node' | 'NodeClaim';
  readonly name: string;
  readonly reasons: readonly Reason[];
  /** Of a pool, with `reasonsFor`: what each of its instance types comes to. */
  readonly types?: readonly TypeVerdict[];
}

export interface PodError {
  readonly code: ReasonCode;
  /** Upstream's text, complete. */
  readonly message: string;
  /** The pod asks for none of our nodes: nothing to tell its owner. */
  readonly optedOut?: boolean;
  /** Only with `reasons`. Nearest miss first. */
  readonly targets?: readonly TargetFailure[];
}

/** A NodeClaim that the packer wants. */
export interface PlannedNodeClaim {
  readonly nodePool: NodePool;
  readonly pods: readonly Pod[];
  /** Compatible types in launch order (cheapest first), at most 600. */
  readonly instanceTypes: readonly InstanceType[];
  /** Final requirements: no hostname, with reservation ids. Equal claims of one scheduler share the object: copy to change it. */
  readonly requirements: Requirements;
  /** Pods plus the smallest daemon overhead. */
  readonly requests: Resources;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ExistingNodePlacement {
  readonly node: StateNode;
  readonly pods: readonly Pod[];
}

export interface Results {
  readonly newNodeClaims: readonly PlannedNodeClaim[];
  /** Only nodes that received pods. */
  readonly existingNodes: readonly ExistingNodePlacement[];
  readonly podErrors: ReadonlyMap<Pod, PodError>;
  /** Pods that were refused before the pass (karpenter-core.md 3.4.2); only when the pods were chosen here. */
  readonly rejected?: ReadonlyMap<Pod, PodError>;
  /** Pools whose own requirements leave no instance type; `minValues` when it is that which does. */
  readonly emptyPools?: readonly { readonly nodePool: NodePool; readonly minValues: boolean }[];
  /**
   * With `reasonsFor`, when that pod has a place: every pool and node as it was at its turn; no reasons for those that would
   * do.
   */
  readonly considered?: readonly TargetFailure[];
  /** With the option: how many pods that wait are bound to which zone; `flexible` and `none` are no zones. */
  readonly effectiveZones?: ReadonlyMap<string, number>;
  /** True when `expired` ended the pass. */
  readonly timedOut: boolean;
  /** Pods that had no turn before `expired` ended the pass, in the order in which they would have had it. */
  readonly notReached: readonly Pod[];
}

/**
 * One scheduling pass as the provisioner makes it: which pods go to which nodes, and which new nodes they need.
 *
 * @param pods the pods to place; `provisionable` takes those that wait and those on nodes that are going away
 */
export type Packer = (world: World, pods: readonly Pod[] | 'provisionable', options: ScheduleOptions) => Results;
