import { parseDuration } from '../../../../apis/duration.ts';
import { formatDuration } from '../../../../apis/format-duration.ts';
import { goQuote } from '../../../../apiserver/validation/go-text.ts';
import { printTaint } from '../../../../scheduling/taints.ts';
import type { BootstrapInput } from './bootstrap-input.ts';

type Strings = Readonly<Record<string, string>>;

/** The kubelet's arguments for families that set it up by flags. */
export function kubeletFlags({ kubelet, labels, taints }: BootstrapInput): readonly string[] {
  return [
    nodeLabelsFlag(labels),
    `--register-with-taints=${goQuote(taints.map(printTaint).join(','))}`,
    plain('--max-pods', kubelet.maxPods),
    plain('--pods-per-core', kubelet.podsPerCore),
    joined('--system-reserved', kubelet.systemReserved, '='),
    joined('--kube-reserved', kubelet.kubeReserved, '='),
    joined('--eviction-hard', kubelet.evictionHard, '<'),
    joined('--eviction-soft', kubelet.evictionSoft, '<'),
    joined('--eviction-soft-grace-period', gracePeriods(kubelet.evictionSoftGracePeriod), '='),
    plain('--eviction-max-pod-grace-period', kubelet.evictionMaxPodGracePeriod),
    plain('--image-gc-high-threshold', kubelet.imageGCHighThresholdPercent),
    plain('--image-gc-low-threshold', kubelet.imageGCLowThresholdPercent),
    plain('--cpu-cfs-quota', kubelet.cpuCFSQuota),
  ].filter((flag) => flag !== undefined);
}

/** Undefined without labels. */
export function nodeLabelsFlag(labels: Strings): string | undefined {
  return joined('--node-labels', labels, '=');
}

/** Durations as Go prints them: `90s` becomes `1m30s`. */
export function gracePeriods(periods: Strings = {}): Strings {
  return Object.fromEntries(
    Object.entries(periods).map(([signal, text]) => [signal, formatDuration(parseDuration(text) ?? 0)]),
  );
}

function plain(name: string, value: number | string | boolean | undefined): string | undefined {
  return value === undefined ? undefined : `${name}=${value}`;
}

/** Entries in order, so that the same settings give the same text. */
function joined(name: string, entries: Strings | undefined, separator: string): string | undefined {
  const parts = Object.entries(entries ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}${separator}${value}`);
  return parts.length > 0 ? `${name}=${goQuote(parts.join(','))}` : undefined;
}
