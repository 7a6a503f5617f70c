import type { Taint } from '../../../../kube/objects.ts';
import type { Logger } from '../../../../logging/logger.ts';
import type { KubeletConfiguration } from '../../../apis/ec2-node-class.ts';
import type { KubeletSettings } from '../../../kubelet/kubelet-settings.ts';

/** What a machine is told at its first start, so that it becomes a node (aws-provider.md section 10). */
export interface BootstrapInput {
  readonly clusterName: string;
  readonly clusterEndpoint: string;
  /** The addresses of services. */
  readonly clusterCIDR?: string;
  /** Base64. */
  readonly caBundle?: string;
  /** All that users set, with values for a kind of machine instead of expressions. */
  readonly kubelet: KubeletConfiguration & KubeletSettings;
  readonly taints: readonly Taint[];
  readonly labels: Readonly<Record<string, string>>;
  /** What users want to happen too, in the form that the family takes. */
  readonly customUserData?: string;
  readonly instanceStorePolicy?: 'RAID0';
  /** Of Bottlerocket: its `ephemeral-storage bind` knows the directories by itself. */
  readonly bindsKnownDirectories?: boolean;
}

/** The text of the user data, before it is put into base64. @throws when the user's own can't be read. */
export type UserData = (input: BootstrapInput, log: Logger) => string;
