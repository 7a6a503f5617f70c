import type { Resource } from '../../kube/client.ts';
import type { Condition, KubeObject, NodeSelectorRequirement } from '../../kube/objects.ts';

type Tags = Readonly<Record<string, string>>;

export interface SubnetSelectorTerm {
  readonly tags?: Tags;
  readonly id?: string;
}

export interface SecurityGroupSelectorTerm {
  readonly tags?: Tags;
  readonly id?: string;
  readonly name?: string;
}

export interface CapacityReservationSelectorTerm {
  readonly tags?: Tags;
  readonly id?: string;
  readonly ownerID?: string;
  readonly instanceMatchCriteria?: string;
}

export interface PlacementGroupSelector {
  readonly name?: string;
  readonly id?: string;
}

export interface AMISelectorTerm {
  /** `family@version`, for example `al2023@latest`. */
  readonly alias?: string;
  readonly tags?: Tags;
  readonly id?: string;
  readonly name?: string;
  readonly owner?: string;
  readonly ssmParameter?: string;
}

export type AMIFamilyName =
  | 'AL2'
  | 'AL2023'
  | 'Bottlerocket'
  | 'Custom'
  | 'Windows2019'
  | 'Windows2022'
  | 'Windows2025';

export interface BlockDevice {
  readonly deleteOnTermination?: boolean;
  readonly encrypted?: boolean;
  readonly iops?: number;
  readonly kmsKeyID?: string;
  readonly snapshotID?: string;
  readonly throughput?: number;
  readonly volumeInitializationRate?: number;
  /** A quantity. */
  readonly volumeSize?: string;
  readonly volumeType?: string;
}

export interface BlockDeviceMapping {
  readonly deviceName?: string;
  readonly ebs?: BlockDevice;
  readonly rootVolume?: boolean;
}

export interface NetworkInterface {
  readonly networkCardIndex: number;
  readonly deviceIndex: number;
  readonly interfaceType: 'interface' | 'efa-only';
}

export interface MetadataOptions {
  readonly httpEndpoint?: string;
  readonly httpProtocolIPv6?: string;
  readonly httpPutResponseHopLimit?: number;
  readonly httpTokens?: string;
}

/** Seconds. */
export interface ConnectionTracking {
  readonly tcpEstablishedTimeout?: number;
  readonly udpStreamTimeout?: number;
  readonly udpTimeout?: number;
}

/** The kubelet's own configuration, as the user wrote it: an open object (aws-provider.md section 5). */
export type KubeletConfiguration = Readonly<Record<string, unknown>>;

export interface EC2NodeClassSpec {
  readonly subnetSelectorTerms: readonly SubnetSelectorTerm[];
  readonly securityGroupSelectorTerms: readonly SecurityGroupSelectorTerm[];
  readonly capacityReservationSelectorTerms?: readonly CapacityReservationSelectorTerm[];
  readonly placementGroupSelector?: PlacementGroupSelector;
  readonly associatePublicIPAddress?: boolean;
  readonly ipPrefixCount?: number;
  readonly amiSelectorTerms: readonly AMISelectorTerm[];
  readonly amiFamily?: AMIFamilyName;
  readonly userData?: string;
  readonly role?: string;
  readonly instanceProfile?: string;
  readonly tags?: Tags;
  readonly kubelet?: KubeletConfiguration;
  readonly blockDeviceMappings?: readonly BlockDeviceMapping[];
  readonly instanceStorePolicy?: 'RAID0';
  readonly networkInterfaces?: readonly NetworkInterface[];
  readonly detailedMonitoring?: boolean;
  readonly metadataOptions?: MetadataOptions;
  readonly connectionTracking?: ConnectionTracking;
  readonly context?: string;
  readonly cpuOptions?: { readonly nestedVirtualization?: string };
}

export interface SubnetStatus {
  readonly id: string;
  readonly zone: string;
  readonly zoneID?: string;
}

export interface SecurityGroupStatus {
  readonly id: string;
  readonly name?: string;
}

export interface AMIStatus {
  readonly id: string;
  readonly name?: string;
  readonly deprecated?: boolean;
  readonly requirements: readonly NodeSelectorRequirement[];
}

export type CapacityReservationType = 'default' | 'capacity-block';

export interface CapacityReservationStatus {
  readonly availabilityZone: string;
  /** RFC 3339. */
  readonly endTime?: string;
  readonly id: string;
  readonly instanceMatchCriteria: string;
  readonly instanceType: string;
  readonly ownerID: string;
  readonly reservationType: CapacityReservationType;
  readonly interruptible: boolean;
  readonly state: 'active' | 'expiring';
}

export interface EC2NodeClassStatus {
  readonly subnets?: readonly SubnetStatus[];
  readonly securityGroups?: readonly SecurityGroupStatus[];
  readonly capacityReservations?: readonly CapacityReservationStatus[];
  readonly amis?: readonly AMIStatus[];
  readonly instanceProfile?: string;
  readonly conditions?: readonly Condition[];
}

/** karpenter.k8s.aws/v1 EC2NodeClass, cluster scoped (aws-provider.md sections 4 and 6). */
export interface EC2NodeClass extends KubeObject {
  readonly spec: EC2NodeClassSpec;
  readonly status?: EC2NodeClassStatus;
}

export const AWS_GROUP = 'karpenter.k8s.aws';

export const Ec2NodeClasses: Resource<EC2NodeClass> = {
  group: AWS_GROUP,
  version: 'v1',
  plural: 'ec2nodeclasses',
  kind: 'EC2NodeClass',
  namespaced: false,
};
