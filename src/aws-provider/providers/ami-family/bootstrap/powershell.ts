import type { UserData } from './bootstrap-input.ts';
import { kubeletFlags } from './kubelet-flags.ts';

/** Of Windows: the user's lines, then the script that the image has for EKS. Instance storage is left as it is. */
export const powershell: UserData = (input) => {
  const { clusterName, clusterEndpoint, caBundle, kubelet, customUserData } = input;
  const dns = kubelet.clusterDNS?.[0];
  const call = [
    `& $EKSBootstrapScriptFile -EKSClusterName '${clusterName}' -APIServerEndpoint '${clusterEndpoint}'`,
    ...(caBundle === undefined ? [] : [`-Base64ClusterCA '${caBundle}'`]),
    `-KubeletExtraArgs '${kubeletFlags(input).join(' ')}'`,
    ...(dns === undefined ? [] : [`-DNSClusterIP '${dns}'`]),
  ];
  return [
    '<powershell>',
    ...(customUserData ? [customUserData] : []),
    '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"',
    call.join(' '),
    '</powershell>',
  ].join('\n');
};
