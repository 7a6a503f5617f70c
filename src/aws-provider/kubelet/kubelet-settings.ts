import { parseQuantity } from '../../kube/quantity.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';

type Strings = Readonly<Record<string, string>>;

/** The fields of the kubelet's configuration that Karpenter reads (aws-provider.md section 5). */
export interface KubeletSettings {
  readonly clusterDNS?: readonly string[];
  /** A string is an expression. */
  readonly maxPods?: number | string;
  readonly podsPerCore?: number;
  /** By resource: a quantity, or an expression. */
  readonly systemReserved?: Strings;
  readonly kubeReserved?: Strings;
  /** By signal: a quantity or a percentage. */
  readonly evictionHard?: Strings;
  readonly evictionSoft?: Strings;
  /** By signal: a Go duration. */
  readonly evictionSoftGracePeriod?: Strings;
  /** Seconds. */
  readonly evictionMaxPodGracePeriod?: number;
  readonly imageGCHighThresholdPercent?: number;
  readonly imageGCLowThresholdPercent?: number;
  readonly cpuCFSQuota?: boolean;
}

/** What Karpenter reads of a class's kubelet configuration; that it is well formed is for the validation to say. */
export function kubeletSettings({ spec }: EC2NodeClass): KubeletSettings {
  return (spec.kubelet ?? {}) as KubeletSettings;
}

/** Whether Kubernetes reads the text as an amount. */
export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}
