import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { LABEL_OS } from '../../../apis/labels.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { toResources } from '../../../scheduling/resource-list.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { amiFamilyOf, zoneInfoOf } from '../../apis/ec2-node-class-facts.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { AwsOptions } from '../../aws-options.ts';
import type { KubeletExpressions } from '../../kubelet/expressions.ts';
import { kubeletSettings } from '../../kubelet/kubelet-settings.ts';
import { type ResolvedKubelet, resolveKubelet } from '../../kubelet/resolve-kubelet.ts';
import { familyOf } from '../ami-family/families.ts';
import type { AmiFamily } from '../ami-family/family.ts';
import { deviceCapacity, expectedMemory, windowsCapacity } from './capacity.ts';
import { ephemeralStorageMilli } from './ephemeral-storage.ts';
import { kubeletVars } from './kubelet-vars.ts';
import { evictionThreshold, kubeReserved } from './overhead.ts';
import { eniLimitedPods, podsOf } from './pod-density.ts';
import { requirementsOf } from './requirements.ts';

export interface ResolveDeps {
  readonly region: string;
  readonly options: Pick<AwsOptions, 'vmMemoryOverheadPercent' | 'reservedENIs'>;
  readonly log: Logger;
  /** For kubelet settings that are computed; undefined while the feature gate is off. */
  readonly expressions: KubeletExpressions | undefined;
}

/**
 * An instance type as core sees it: without offerings, and with the memory that its nodes are expected to have
 * (aws-provider.md sections 21 and 22).
 *
 * @param offeredZones those that sell the type.
 * @throws an error when the expression for maxPods gives no number for the type.
 */
export function resolveInstanceType(
  deps: ResolveDeps,
  info: InstanceTypeInfo,
  offeredZones: ReadonlySet<string>,
  nodeClass: EC2NodeClass,
): InstanceType {
  const { region, options } = deps;
  const { spec, status } = nodeClass;
  const { networkInterfaces } = spec;
  const family = familyOf(amiFamilyOf(nodeClass));
  const settings = kubeletSettings(nodeClass);
  const kubelet = kubeletOf(deps, info, family, nodeClass);
  const devices = deviceCapacity(info, networkInterfaces);
  const memory = expectedMemory(info, options.vmMemoryOverheadPercent);
  const storage = ephemeralStorageMilli(info, family, spec);
  const pods = podsOf(info, family, {
    maxPods: kubelet.maxPods,
    podsPerCore: settings.podsPerCore,
    reservedENIs: options.reservedENIs,
    networkInterfaces,
  });
  const podsOfOverhead = family.features.usesENILimitedMemoryOverhead
    ? eniLimitedPods(info, 0, networkInterfaces)
    : pods;
  const requirements = requirementsOf(info, family, {
    region,
    offeredZones,
    subnetZones: zoneInfoOf(nodeClass),
    reservations: (status?.capacityReservations ?? []).filter((r) => r.instanceType === info.InstanceType),
  });
  const isWindows = requirements.get(LABEL_OS).has('windows');
  return {
    name: info.InstanceType ?? '',
    requirements,
    offerings: [],
    capacity: {
      ...devices,
      memory: memory * 1000,
      'ephemeral-storage': storage,
      pods: pods * 1000,
      ...(isWindows ? windowsCapacity(info) : {}),
    },
    overhead: {
      kubeReserved: kubeReserved(devices.cpu ?? 0, podsOfOverhead, kubelet.kubeReserved),
      systemReserved: toResources(kubelet.systemReserved),
      evictionThreshold: evictionThreshold(memory, storage, settings.evictionHard),
    },
  };
}

function kubeletOf(
  deps: ResolveDeps,
  info: InstanceTypeInfo,
  family: AmiFamily,
  nodeClass: EC2NodeClass,
): ResolvedKubelet {
  const settings = kubeletSettings(nodeClass);
  const { networkInterfaces } = nodeClass.spec;
  const { reservedENIs } = deps.options;
  try {
    return resolveKubelet(
      settings,
      (maxPods) => kubeletVars(info, family, settings, networkInterfaces, reservedENIs, maxPods),
      deps,
    );
  } catch (error) {
    throw wrappedError(`resolving instance type ${info.InstanceType}, resolving maxPods`, error);
  }
}
