import { LABEL_CAPACITY_TYPE, LABEL_DO_NOT_SYNC_TAINTS } from '../../../apis/labels.ts';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import type { AMIFamilyName } from '../../apis/ec2-node-class.ts';

/** A label of Kubernetes' own domains, which a kubelet may not give itself. */
const OF_KUBERNETES = /^(?:[^/]*\.)?(?:kubernetes\.io|k8s\.io)\//;

/** The labels that a node gives itself: those of its claim (aws-provider.md section 10). */
export function nodeLabels(
  { metadata }: NodeClaim,
  capacityType: string,
  family: AMIFamilyName,
): Readonly<Record<string, string>> {
  const labels = {
    ...metadata.labels,
    [LABEL_CAPACITY_TYPE]: capacityType,
    // Nodes register with their taints, but for those of images that Karpenter does not set up.
    ...(family === 'Custom' ? {} : { [LABEL_DO_NOT_SYNC_TAINTS]: 'true' }),
  };
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !OF_KUBERNETES.test(key)));
}
