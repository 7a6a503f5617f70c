/** The provider contract (karpenter-core.md section 0). Its errors are in `errors.ts`. */
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { LabelAliases } from '../apis/normalized-labels.ts';
import type { LabelRules } from '../apis/restricted-labels.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';

export interface RepairPolicy {
  readonly conditionType: string;
  readonly conditionStatus: 'True' | 'False' | 'Unknown';
  readonly tolerationDurationMs: number;
}

export interface SupportedNodeClass {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

/** What a hook says of one claim. A hook that asks for neither kind of another look has nothing against it. */
export interface NodeLifecycleHookResult {
  /** Look again after the back-off of a failure. */
  readonly requeue?: boolean;
  /** Look again after so many milliseconds; of several hooks the shortest time holds. */
  readonly requeueAfter?: number;
  /** To be put on the claim, and with it on the node. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The same for annotations. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Lets a provider hold back nodes that have joined: they stay tainted as unregistered until no hook is pending. */
export interface NodeLifecycleHook {
  readonly name: string;
  /** Asked each time that the lifecycle looks at a claim whose node is there but not registered. */
  registered(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<NodeLifecycleHookResult>;
}

/**
 * What a provider changes in core's rules (karpenter-core.md 0.2); nothing, for what it leaves out. The well-known labels
 * and values, the restricted domains and the well-known resources come on top of core's own.
 */
export interface ProviderRules extends LabelRules, LabelAliases {
  /** The key under which an offering names its reservation. */
  readonly reservationIDLabel?: string;
  /** Labels of reserved offerings that may change while a node runs, such as the id of its reservation: no drift. */
  readonly reservedCapacityLabels?: ReadonlySet<string>;
  /** Milliseconds; of claims whose pool has no `terminationGracePeriod`. */
  readonly defaultTerminationGracePeriodMs?: number;
  /** CSI drivers whose volumes no node can attach: pods with such are not tried. */
  readonly unsupportedProvisioners?: ReadonlySet<string>;
  /** The same for storage classes that are confined by such a label. */
  readonly unsupportedTopologyKeys?: ReadonlySet<string>;
}

export interface CloudProvider extends ProviderRules {
  readonly name: string;
  /** Called once before the controllers run, for example to take up launches that a stopped controller left behind. What
   * it starts ends with the signal. */
  start?(signal: AbortSignal): Promise<void>;
  /** Launches an instance; answers the claim with providerID, capacity, allocatable and labels filled in. Throws
   * InsufficientCapacityError, NodeClassNotReadyError, CreateError. */
  create(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim>;
  /**
   * Like `create`, choosing among these types: the pool's as core sees them, with what overlays change. A provider that
   * lacks it chooses by its own prices.
   */
  createAmong?(nodeClaim: NodeClaim, types: readonly InstanceType[], signal?: AbortSignal): Promise<NodeClaim>;
  /** Starts termination. Throws NodeClaimNotFoundError once the instance is gone. */
  delete(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<void>;
  /** Throws NodeClaimNotFoundError. */
  get(providerID: string, signal?: AbortSignal): Promise<NodeClaim>;
  list(signal?: AbortSignal): Promise<readonly NodeClaim[]>;
  /** Every type, even with no available offering. May throw UnevaluatedNodePoolError. */
  getInstanceTypes(nodePool: NodePool, signal?: AbortSignal): Promise<readonly InstanceType[]>;
  /** Empty when not drifted. */
  isDrifted(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<string>;
  repairPolicies(): readonly RepairPolicy[];
  /** The first is the default class. */
  supportedNodeClasses(): readonly SupportedNodeClass[];
  /** None by default. */
  readonly registrationHooks?: readonly NodeLifecycleHook[];
}
