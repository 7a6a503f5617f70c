import { LABEL_REGION } from '../../apis/labels.ts';
import type { EC2NodeClass } from './ec2-node-class.ts';
import { LABEL_NODE_CLASS, TAG_EKS_CLUSTER_NAME, TAG_NODE_CLAIM, TAG_NODE_POOL, tagOfCluster } from './labels.ts';

type Tags = Readonly<Record<string, string>>;

const RESTRICTED: ReadonlySet<string> = new Set([
  TAG_NODE_POOL,
  TAG_EKS_CLUSTER_NAME,
  LABEL_NODE_CLASS,
  TAG_NODE_CLAIM,
]);
const OF_A_CLUSTER = /^kubernetes\.io\/cluster\/[0-9A-Za-z][A-Za-z0-9\-_]*$/;

/** The class sets tags by which Karpenter knows its own resources. */
export class RestrictedTagsError extends Error {
  override readonly name = 'RestrictedTagsError';

  constructor(tags: readonly string[]) {
    super(`tags failed validation requirements (tags=${tags.map((tag) => JSON.stringify(tag)).join(', ')})`);
  }
}

/**
 * The tags of all that is launched for a class: its own, and those by which Karpenter finds it again.
 *
 * @param nodePool empty when it is not launched for a pool.
 * @throws RestrictedTagsError
 */
export function instanceTags(nodeClass: EC2NodeClass, nodePool: string, clusterName: string): Tags {
  const own = nodeClass.spec.tags ?? {};
  const restricted = Object.keys(own).filter((tag) => RESTRICTED.has(tag) || OF_A_CLUSTER.test(tag));
  if (restricted.length > 0) throw new RestrictedTagsError(restricted);
  return {
    ...own,
    [tagOfCluster(clusterName)]: 'owned',
    [TAG_NODE_POOL]: nodePool,
    [TAG_EKS_CLUSTER_NAME]: clusterName,
    [LABEL_NODE_CLASS]: nodeClass.metadata.name,
  };
}

/** The tags of the instance profiles that are made for a class. */
export function instanceProfileTags(nodeClass: EC2NodeClass, clusterName: string, region: string): Tags {
  return {
    ...nodeClass.spec.tags,
    [tagOfCluster(clusterName)]: 'owned',
    [TAG_EKS_CLUSTER_NAME]: clusterName,
    [LABEL_NODE_CLASS]: nodeClass.metadata.name,
    [LABEL_REGION]: region,
  };
}
