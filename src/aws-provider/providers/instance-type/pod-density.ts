import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { NetworkInterface } from '../../apis/ec2-node-class.ts';
import type { AmiFamily } from '../ami-family/family.ts';

/** What the kubelet allows where nothing says otherwise. */
const DEFAULT_PODS = 110;
/** Pods on the host's network, which need no address of their own: the CNI plugin and kube-proxy. */
const HOST_NETWORK_PODS = 2;

/** How many network interfaces the type has for pods, and how many addresses each of them has. */
export function defaultInterfaces({ NetworkInfo }: InstanceTypeInfo): {
  readonly count: number;
  readonly ipv4PerInterface: number;
} {
  const card = NetworkInfo?.NetworkCards?.[NetworkInfo.DefaultNetworkCardIndex ?? 0];
  return {
    count: card?.MaximumNetworkInterfaces ?? 0,
    ipv4PerInterface: NetworkInfo?.Ipv4AddressesPerInterface ?? 0,
  };
}

/**
 * The pods that the type has addresses for: those of the default card's interfaces, but for one each. Prefix delegation is
 * never assumed (aws-provider.md section 22).
 *
 * @param reservedENIs interfaces that pods may not use.
 */
export function eniLimitedPods(
  info: InstanceTypeInfo,
  reservedENIs: number,
  networkInterfaces: readonly NetworkInterface[] = [],
): number {
  const { count, ipv4PerInterface } = defaultInterfaces(info);
  // Those carry no IP traffic.
  const efaOnly = networkInterfaces.filter(
    ({ networkCardIndex, interfaceType }) => networkCardIndex === 0 && interfaceType === 'efa-only',
  );
  const usable = Math.max(count - reservedENIs - efaOnly.length, 0);
  return usable === 0 ? 0 : usable * (ipv4PerInterface - 1) + HOST_NETWORK_PODS;
}

export interface PodDensity {
  readonly maxPods?: number | undefined;
  readonly podsPerCore?: number | undefined;
  readonly reservedENIs: number;
  readonly networkInterfaces?: readonly NetworkInterface[] | undefined;
}

/** How many pods a node of the type takes (aws-provider.md section 22). */
export function podsOf(info: InstanceTypeInfo, { features }: AmiFamily, density: PodDensity): number {
  const { maxPods, podsPerCore = 0, reservedENIs, networkInterfaces } = density;
  const natural = features.supportsENILimitedPodDensity
    ? eniLimitedPods(info, reservedENIs, networkInterfaces)
    : DEFAULT_PODS;
  const count = maxPods ?? natural;
  if (podsPerCore <= 0 || !features.podsPerCoreEnabled) return count;
  return Math.min(podsPerCore * (info.VCpuInfo?.DefaultVCpus ?? 0), count);
}
