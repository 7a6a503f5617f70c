import type { InstanceType } from '../../../scheduling/instance-type.ts';
import type {
  BlockDeviceMapping,
  CapacityReservationType,
  ConnectionTracking,
  EC2NodeClassSpec,
  MetadataOptions,
  NetworkInterface,
} from '../../apis/ec2-node-class.ts';
import type { BootstrapInput } from '../ami-family/bootstrap/bootstrap-input.ts';
import type { AmiFamily } from '../ami-family/family.ts';

/** What a launch template says, before it is put in EC2's words (aws-provider.md section 16). */
export interface ResolvedTemplate {
  readonly nodeClassName: string;
  readonly family: AmiFamily;
  readonly bootstrap: BootstrapInput;
  readonly imageID: string;
  readonly instanceProfile: string;
  readonly securityGroupIDs: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  readonly capacityType: string;
  readonly tenancy: string;
  readonly reservation?: ReservationOfTemplate;
  readonly placementGroupID?: string;
  readonly placementGroupPartition?: number;
  readonly blockDeviceMappings: readonly BlockDeviceMapping[];
  readonly metadataOptions: MetadataOptions;
  readonly cpuOptions?: EC2NodeClassSpec['cpuOptions'];
  readonly detailedMonitoring: boolean;
  readonly isEnclaveEnabled: boolean;
  /** Addresses of nodes are of IPv6. */
  readonly isIPv6: boolean;
  readonly associatePublicIPAddress?: boolean;
  readonly ipPrefixCount?: number;
  readonly networkInterfaces: readonly NetworkInterface[];
  /** Elastic fabric adapters that pods ask for. */
  readonly efaCount: number;
  readonly connectionTracking?: ConnectionTracking;
  /** Those that can be launched with it. */
  readonly instanceTypes: readonly InstanceType[];
}

export interface ReservationOfTemplate {
  readonly id: string;
  readonly type?: CapacityReservationType;
  readonly interruptible: boolean;
}
