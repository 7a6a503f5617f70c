import type { AMIFamilyName, BlockDeviceMapping } from '../../apis/ec2-node-class.ts';
import type { UserData } from './bootstrap/bootstrap-input.ts';
import type { ImageRequirements } from './variants.ts';

/** What nodes of a family can do, as far as the shape of an instance type depends on it (aws-provider.md section 10). */
export interface FamilyFeatures {
  /** Memory is reserved for as many pods as the network interfaces allow, whatever `maxPods` says. */
  readonly usesENILimitedMemoryOverhead: boolean;
  readonly podsPerCoreEnabled: boolean;
  /** Pods are limited by the network interfaces; otherwise to 110. */
  readonly supportsENILimitedPodDensity: boolean;
  /** Nodes take every field of the kubelet's configuration, also those that Karpenter doesn't know. */
  readonly supportsArbitraryKubeletConfig: boolean;
}

/** A parameter of Systems Manager that names an image of an alias. */
export interface AliasParameter {
  readonly name: string;
  readonly isMutable: boolean;
  /** The image serves instance types that meet one of these. */
  readonly variants: readonly ImageRequirements[];
}

/** A kind of machine image, and how its nodes are set up (aws-provider.md sections 9 and 10). */
export interface AmiFamily {
  readonly name: AMIFamilyName;
  readonly features: FamilyFeatures;
  /** The device that pods' ephemeral storage is on; unknown for images that users bring. */
  readonly ephemeralDevice?: string;
  /** For classes that name no devices; none when the image's own hold. */
  readonly defaultBlockDeviceMappings: readonly BlockDeviceMapping[];
  /**
   * Where an alias's images are named.
   *
   * @param kubernetes `major.minor`
   * @param version `latest`, or one of the family
   */
  aliasParameters(kubernetes: string, version: string): readonly AliasParameter[];
  /** What makes a machine a node. */
  readonly userData: UserData;
}

/** What most families can do. */
export const DEFAULT_FEATURES: FamilyFeatures = {
  usesENILimitedMemoryOverhead: true,
  podsPerCoreEnabled: true,
  supportsENILimitedPodDensity: true,
  supportsArbitraryKubeletConfig: false,
};

/** The version of an alias that is whatever is newest. */
export const LATEST = 'latest';

/** An encrypted volume of the given size, as families have by default. */
export function defaultVolume(deviceName: string, volumeSize: string): BlockDeviceMapping {
  return { deviceName, ebs: { encrypted: true, volumeType: 'gp3', volumeSize } };
}
