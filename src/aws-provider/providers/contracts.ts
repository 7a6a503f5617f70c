/**
 * What the parts of the EC2 provider know of each other. Names are upstream's; each is implemented in the folder of its
 * name, and wired in `aws-provider.ts`.
 */
import type {
  CapacityReservation,
  CreateFleetRequest,
  CreateFleetResult,
  Subnet as Ec2Subnet,
  InstanceTypeInfo,
  PlacementGroupStrategy,
  SecurityGroup,
} from '@aws-sdk/client-ec2';
import type { InstanceProfile as IamInstanceProfile } from '@aws-sdk/client-iam';
import type { NodeClaim } from '../../apis/node-claim.ts';
import type { Node } from '../../kube/objects.ts';
import type { InstanceType } from '../../scheduling/instance-type.ts';
import type {
  AMIStatus,
  CapacityReservationSelectorTerm,
  CapacityReservationType,
  EC2NodeClass,
} from '../apis/ec2-node-class.ts';

type Tags = Readonly<Record<string, string>>;

/** Reads EC2NodeClasses from what is known of the cluster. */
export interface NodeClassReader {
  get(name: string, signal?: AbortSignal): Promise<EC2NodeClass | undefined>;
}

/** The Kubernetes version of the cluster, `major.minor`. */
export interface VersionProvider {
  get(): string;
  update(signal?: AbortSignal): Promise<void>;
}

export interface SubnetForLaunch {
  readonly id: string;
  readonly zone: string;
  readonly zoneID: string;
  readonly availableIPAddressCount: number;
}

export interface SubnetProvider {
  list(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<readonly Ec2Subnet[]>;
  /** By zone; takes the addresses that the launch may need off each chosen subnet. */
  zonalSubnetsForLaunch(
    nodeClass: EC2NodeClass,
    instanceTypes: readonly InstanceType[],
    capacityType: string,
  ): ReadonlyMap<string, SubnetForLaunch>;
  /** Gives back the addresses of subnets that the fleet did not use: all of them when it failed. */
  updateInflightIPs(
    request: CreateFleetRequest,
    result: CreateFleetResult | undefined,
    instanceTypes: readonly InstanceType[],
    subnets: readonly SubnetForLaunch[],
    capacityType: string,
  ): void;
  /** EC2 says that the subnet has no free address. */
  updateICEdSubnet(subnetID: string): void;
}

export interface SecurityGroupProvider {
  list(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<readonly SecurityGroup[]>;
}

export interface AmiProvider {
  /** Newest first; one per set of requirements. Throws when an alias gives none. */
  list(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<readonly Ami[]>;
}

export interface Ami extends AMIStatus {
  /** RFC 3339. */
  readonly creationDate: string;
}

export interface SsmParameterQuery {
  readonly name: string;
  /** Its value may change, as that of `recommended`: looked at again when its AMI is deprecated. */
  readonly isMutable: boolean;
  /** Named by a user: asked for again sooner. */
  readonly isCustom?: boolean;
}

export interface SsmProvider {
  get(query: SsmParameterQuery, signal?: AbortSignal): Promise<string>;
  /** What is cached of mutable parameters, by name of the parameter. */
  mutableValues(): ReadonlyMap<string, string>;
  forget(name: string): void;
}

export interface InstanceProfileProvider {
  get(name: string, signal?: AbortSignal): Promise<IamInstanceProfile>;
  /** Makes the profile if it is missing, and attaches the role. */
  create(name: string, role: string, tags: Tags, path: string, signal?: AbortSignal): Promise<void>;
  delete(name: string, signal?: AbortSignal): Promise<void>;
  listProfiles(pathPrefix: string, signal?: AbortSignal): Promise<readonly IamInstanceProfile[]>;
  /** Whether it was in use a short time ago, and must not be collected. */
  isProtected(name: string): boolean;
  setProtected(name: string, isProtected: boolean): void;
}

export interface CapacityReservationProvider {
  list(
    terms: readonly CapacityReservationSelectorTerm[],
    signal?: AbortSignal,
  ): Promise<readonly CapacityReservation[]>;
  availableInstanceCount(reservationID: string): number;
  markLaunched(reservationID: string): void;
  markTerminated(reservationID: string): void;
  markUnavailable(...reservationIDs: readonly string[]): void;
}

export interface PlacementGroup {
  readonly id: string;
  readonly name: string;
  readonly strategy: PlacementGroupStrategy;
  readonly partitionCount: number;
  readonly spreadLevel?: string;
}

export interface PlacementGroupProvider {
  /** Undefined without a selector, or when EC2 has no such group. */
  get(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<PlacementGroup | undefined>;
  /** The same from what is known already: for the paths that can't wait. */
  known(nodeClass: EC2NodeClass): PlacementGroup | undefined;
}

export interface PricingProvider {
  /** Grows with every refresh that changes a price. */
  readonly version: number;
  instanceTypes(): readonly string[];
  /** USD per hour (CNY in China). */
  onDemandPrice(instanceType: string): number | undefined;
  spotPrice(instanceType: string, zone: string): number | undefined;
  updateOnDemandPricing(signal?: AbortSignal): Promise<void>;
  updateSpotPricing(signal?: AbortSignal): Promise<void>;
}

export interface ZonalShiftProvider {
  isShifted(zoneID: string): boolean;
  shiftedZones(): ReadonlySet<string>;
  update(signal?: AbortSignal): Promise<void>;
}

/** Narrows a mark, so that it blocks no launch outside the placement group. */
export interface PlacementGroupScope {
  readonly placementGroupID?: string;
  readonly placementGroupPartition?: string;
}

/** What EC2 could not sell a short time ago (aws-provider.md section 20). */
export interface UnavailableOfferings {
  /** Changes with whatever may concern the type. */
  seqNum(instanceType: string): number;
  isUnavailable(
    instanceType: string,
    zone: string,
    subnetIDs: readonly string[],
    capacityType: string,
    scope?: PlacementGroupScope,
  ): boolean;
  /** Epoch milliseconds until which it holds, of an offering that is unavailable. */
  unavailableUntil(
    instanceType: string,
    zone: string,
    subnetIDs: readonly string[],
    capacityType: string,
    scope?: PlacementGroupScope,
  ): number | undefined;
  markUnavailable(
    instanceType: string,
    zone: string,
    capacityType: string,
    reason: { readonly reason: string; readonly fleetID?: string },
    scope?: PlacementGroupScope,
  ): void;
  markCapacityTypeUnavailable(capacityType: string): void;
  markSubnetUnavailable(subnetID: string): void;
}

/** Puts offerings on instance types (aws-provider.md section 23). */
export interface OfferingProvider {
  /**
   * The types with what EC2 sells of them now: every zone and capacity type, on sale or not. What has not changed since the
   * last call is the same object; nobody may change it.
   *
   * @param types as EC2 describes them, without offerings; their requirements name the zones and capacity types they have.
   * @param infos of all types, by name.
   * @param allZones in which EC2 sells anything.
   */
  injectOfferings(
    types: readonly InstanceType[],
    infos: ReadonlyMap<string, InstanceTypeInfo>,
    nodeClass: EC2NodeClass,
    allZones: ReadonlySet<string>,
    signal?: AbortSignal,
  ): Promise<readonly InstanceType[]>;
}

/** EC2 was not asked for its instance types yet. */
export class InstanceTypesUnknownError extends Error {
  override readonly name = 'InstanceTypesUnknownError';

  constructor() {
    super('no instance types found');
  }
}

export interface InstanceTypeProvider {
  /** Every type that EC2 knows, with offerings. Throws before EC2 was asked, and for a class without subnets. */
  list(nodeClass: EC2NodeClass): Promise<readonly InstanceType[]>;
  get(nodeClass: EC2NodeClass, name: string): Promise<InstanceType>;
  /** Those that the class's settings leave possible. */
  filterForNodeClass(instanceTypes: readonly InstanceType[], nodeClass: EC2NodeClass): readonly InstanceType[];
  /**
   * Tries the expressions of the class's kubelet configuration on every type that EC2 knows.
   *
   * @throws InstanceTypesUnknownError before EC2 was asked; else the error of the first type that an expression fails for.
   */
  tryKubeletExpressions(nodeClass: EC2NodeClass): void;
  updateInstanceTypes(signal?: AbortSignal): Promise<void>;
  updateInstanceTypeOfferings(signal?: AbortSignal): Promise<void>;
  updateCapacityFromNode(node: Node, nodeClaim: NodeClaim, nodeClass: EC2NodeClass): void;
}

export interface LaunchTemplate {
  readonly name: string;
  readonly instanceTypes: readonly InstanceType[];
  readonly imageID: string;
  readonly capacityReservationID?: string;
}

export interface LaunchTemplateProvider {
  /** Makes what is missing of the launch templates that the types need. */
  ensureAll(
    nodeClass: EC2NodeClass,
    nodeClaim: NodeClaim,
    instanceTypes: readonly InstanceType[],
    capacityType: string,
    tags: Tags,
    tenancy: string,
    signal?: AbortSignal,
  ): Promise<readonly LaunchTemplate[]>;
  deleteAll(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<void>;
  /** Forgets a template that EC2 does not know. */
  invalidate(name: string): void;
  /** Finds the service addresses that AL2023 nodes need; kept once found. */
  resolveClusterCIDR(signal?: AbortSignal): Promise<void>;
  /** Takes up the templates of an earlier process, so that they are cleaned up (after election). */
  hydrate(signal?: AbortSignal): Promise<void>;
}

/** An EC2 instance, from DescribeInstances or from a fleet's answer. */
export interface Instance {
  readonly id: string;
  readonly state: string;
  /** Epoch milliseconds. */
  readonly launchTime: number;
  readonly imageID: string;
  readonly type: string;
  readonly zone: string;
  readonly zoneID: string;
  readonly capacityType: string;
  readonly tenancy: string;
  readonly securityGroupIDs: readonly string[];
  readonly subnetID: string;
  readonly tags: Tags;
  readonly efaCount: number;
  readonly partitionNumber?: number;
  readonly capacityReservation?: {
    readonly id: string;
    readonly type: CapacityReservationType;
    readonly interruptible: boolean;
  };
}

export interface InstanceProvider {
  create(
    nodeClass: EC2NodeClass,
    nodeClaim: NodeClaim,
    tags: Tags,
    instanceTypes: readonly InstanceType[],
    signal?: AbortSignal,
  ): Promise<Instance>;
  /** From what is known unless `skipCache`. Throws NodeClaimNotFoundError. */
  get(id: string, options?: { readonly skipCache?: boolean; readonly signal?: AbortSignal }): Promise<Instance>;
  list(signal?: AbortSignal): Promise<readonly Instance[]>;
  delete(id: string, signal?: AbortSignal): Promise<void>;
  createTags(id: string, tags: Tags, signal?: AbortSignal): Promise<void>;
}
