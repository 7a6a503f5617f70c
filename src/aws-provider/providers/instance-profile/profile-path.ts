/** The IAM path under which a cluster's instance profiles are, or those of one class by its uid (section 13). */
export function profilePath(region: string, clusterName: string, nodeClassUID?: string): string {
  const segments = ['karpenter', region, clusterName, ...(nodeClassUID === undefined ? [] : [nodeClassUID])];
  return `/${segments.join('/')}/`;
}
