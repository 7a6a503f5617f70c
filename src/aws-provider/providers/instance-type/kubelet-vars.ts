import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { NetworkInterface } from '../../apis/ec2-node-class.ts';
import type { InstanceTypeVars } from '../../kubelet/expressions.ts';
import type { KubeletSettings } from '../../kubelet/kubelet-settings.ts';
import type { AmiFamily } from '../ami-family/family.ts';
import { defaultInterfaces, podsOf } from './pod-density.ts';

/**
 * What the expressions of a class's kubelet settings are told of a type (aws-provider.md section 5).
 *
 * @param maxPods undefined for the expression that gives it: that one sees the usual density.
 */
export function kubeletVars(
  info: InstanceTypeInfo,
  family: AmiFamily,
  { podsPerCore }: Pick<KubeletSettings, 'podsPerCore'>,
  networkInterfaces: readonly NetworkInterface[] | undefined,
  reservedENIs: number,
  maxPods: number | undefined,
): InstanceTypeVars {
  const pods = podsOf(info, family, { maxPods, podsPerCore, reservedENIs, networkInterfaces });
  return kubeletVarsWithPods(info, info.InstanceType ?? '', pods);
}

/** The same of a type whose pods are known. */
export function kubeletVarsWithPods(info: InstanceTypeInfo, instanceType: string, maxPods: number): InstanceTypeVars {
  const { count, ipv4PerInterface } = defaultInterfaces(info);
  return {
    vcpus: info.VCpuInfo?.DefaultVCpus ?? 0,
    memoryMiB: info.MemoryInfo?.SizeInMiB ?? 0,
    defaultENIs: count,
    ipsPerENI: ipv4PerInterface,
    maxPods,
    instanceType,
  };
}
