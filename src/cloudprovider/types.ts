/** The provider contract (karpenter-core.md section 0). Its errors are in `errors.ts`. */
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodePool } from '../apis/node-pool.ts';
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

export interface CloudProvider {
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
  /** Label keys beyond the built-in well-known ones. */
  readonly wellKnownLabels: ReadonlySet<string>;
  /** Domains that users may not set labels in. */
  readonly restrictedLabelDomains: ReadonlySet<string>;
  /** None by default. */
  readonly registrationHooks?: readonly NodeLifecycleHook[];
  /** Labels of reserved offerings that may change while a node runs, such as the id of its reservation: no drift. */
  readonly reservedCapacityLabels?: ReadonlySet<string>;
}
