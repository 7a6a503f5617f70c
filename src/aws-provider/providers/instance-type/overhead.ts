import { parseQuantityMilli } from '../../../kube/quantity.ts';
import { toResources } from '../../../scheduling/resource-list.ts';
import type { Resources } from '../../../scheduling/resources.ts';
import { isQuantity } from '../../kubelet/kubelet-settings.ts';

type Strings = Readonly<Record<string, string>>;

const MILLI_OF_MI = 1000 * 2 ** 20;
const STORAGE_RESERVED_MILLI = 1000 * 2 ** 30;
const MEMORY_EVICTION_MILLI = 100 * MILLI_OF_MI;

/** The share of each stretch of processors that the kubelet and the container runtime get, in millicores. */
const CPU_SHARES = [
  { from: 0, to: 1000, share: 0.06 },
  { from: 1000, to: 2000, share: 0.01 },
  { from: 2000, to: 4000, share: 0.005 },
  { from: 4000, to: 2 ** 31, share: 0.0025 },
];

/** What the kubelet and the runtime are given; `chosen` wins by resource (aws-provider.md section 22). */
export function kubeReserved(cpuMilli: number, pods: number, chosen: Strings = {}): Resources {
  let cpu = 0;
  for (const { from, to, share } of CPU_SHARES) {
    if (cpuMilli >= from) cpu += Math.trunc((Math.min(cpuMilli, to) - from) * share);
  }
  const memory = (11 * pods + 255) * MILLI_OF_MI;
  return { cpu, memory, 'ephemeral-storage': STORAGE_RESERVED_MILLI, ...toResources(chosen) };
}

/**
 * What must stay free, or the kubelet evicts pods. Soft thresholds don't count: they only warn.
 *
 * @param memory bytes that the node has.
 * @param storageMilli thousandths of bytes of its ephemeral storage.
 */
export function evictionThreshold(memory: number, storageMilli: number, evictionHard: Strings = {}): Resources {
  const { 'memory.available': memorySignal, 'nodefs.available': storageSignal } = evictionHard;
  const storage = storageMilli / 1000;
  return {
    memory: signalMilli(memorySignal, memory) ?? MEMORY_EVICTION_MILLI,
    'ephemeral-storage': signalMilli(storageSignal, storage) ?? Math.ceil((storage / 100) * 10) * 1000,
  };
}

/** A share of the capacity, or a quantity. All of it means that nothing is evicted. */
function signalMilli(signal: string | undefined, capacity: number): number | undefined {
  if (signal === undefined) return undefined;
  if (!signal.endsWith('%')) return isQuantity(signal) ? parseQuantityMilli(signal) : undefined;
  const percent = Number(signal.slice(0, -1));
  if (!Number.isFinite(percent)) return undefined;
  return percent === 100 ? 0 : Math.ceil((capacity / 100) * percent) * 1000;
}
