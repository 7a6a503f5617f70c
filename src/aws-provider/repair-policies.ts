import type { RepairPolicy } from '../cloudprovider/types.ts';

const MINUTE_MS = 60_000;

const after = (
  minutes: number,
  conditionType: string,
  conditionStatus: 'False' | 'Unknown' = 'False',
): RepairPolicy => ({
  conditionType,
  conditionStatus,
  tolerationDurationMs: minutes * MINUTE_MS,
});

/** When a node is beyond repair: the kubelet's word, and that of EKS's node monitoring agent (aws-provider.md section 28). */
export const REPAIR_POLICIES: readonly RepairPolicy[] = [
  after(30, 'Ready'),
  after(30, 'Ready', 'Unknown'),
  after(10, 'AcceleratedHardwareReady'),
  after(30, 'StorageReady'),
  after(30, 'NetworkingReady'),
  after(30, 'KernelReady'),
  after(30, 'ContainerRuntimeReady'),
];
