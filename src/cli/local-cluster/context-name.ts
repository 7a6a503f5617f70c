/** The kubeconfig context of a local cluster; its cluster and user have the same name. */
export const contextName = (clusterName: string): string => `karpenter-${clusterName}`;
