import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { amiFamilyOf } from '../apis/ec2-node-class-facts.ts';
import { familyOf } from '../providers/ami-family/families.ts';
import { type KubeletSettings, kubeletSettings } from './kubelet-settings.ts';

/** The fields that every family's user data sets: those that Karpenter reads. */
const MANAGED: Readonly<Record<keyof KubeletSettings, true>> = {
  clusterDNS: true,
  maxPods: true,
  podsPerCore: true,
  systemReserved: true,
  kubeReserved: true,
  evictionHard: true,
  evictionSoft: true,
  evictionSoftGracePeriod: true,
  evictionMaxPodGracePeriod: true,
  imageGCHighThresholdPercent: true,
  imageGCLowThresholdPercent: true,
  cpuCFSQuota: true,
};

/**
 * What nodes of the class's AMI family would not do, though `spec.kubelet` says so; undefined when they do all of it.
 * Families but AL2023 take the settings one by one, and Custom ones none at all, which is their user's business.
 */
export function unsupportedKubelet(nodeClass: EC2NodeClass): string | undefined {
  const { kubelet } = nodeClass.spec;
  const family = amiFamilyOf(nodeClass);
  const { features } = familyOf(family);
  if (kubelet === undefined || family === 'Custom' || features.supportsArbitraryKubeletConfig) return undefined;
  const { podsPerCore, clusterDNS } = kubeletSettings(nodeClass);
  const fields = Object.keys(kubelet).filter((field) => !Object.hasOwn(MANAGED, field));
  if ((podsPerCore ?? undefined) !== undefined && !features.podsPerCoreEnabled) fields.push('podsPerCore');
  const messages: string[] = [];
  if (fields.length > 0) {
    messages.push(
      `spec.kubelet has fields not applied by the ${family} AMI family that would be silently dropped: ${fields.toSorted().join(', ')}`,
    );
  }
  if (clusterDNS && clusterDNS.length > 1) {
    messages.push(
      `spec.kubelet.clusterDNS: the ${family} AMI family doesn't accept multiple entries, only one, but ${clusterDNS.length} were set`,
    );
  }
  return messages.length > 0 ? messages.join('; ') : undefined;
}
