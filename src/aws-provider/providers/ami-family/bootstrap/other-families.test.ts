import { expect, test } from 'vitest';
import { bootstrapInput } from '../../../../../test/aws/bootstrap-input.ts';
import { SILENT } from '../../../../logging/logger.ts';
import { familyOf } from '../families.ts';

test('10: a Windows node runs PowerShell, and its disks are left as they are', () => {
  const input = bootstrapInput({ customUserData: 'Write-Host "hi"', instanceStorePolicy: 'RAID0' });
  expect(familyOf('Windows2022').userData(input, SILENT)).toBe(`<powershell>
Write-Host "hi"
[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"
& $EKSBootstrapScriptFile -EKSClusterName 'my-cluster' -APIServerEndpoint 'https://abc.eks.amazonaws.com' -Base64ClusterCA 'Y2EtYnVuZGxl' -KubeletExtraArgs '--node-labels="karpenter.sh/capacity-type=spot,karpenter.sh/nodepool=default" --register-with-taints="team=a:NoSchedule,karpenter.sh/unregistered:NoExecute" --max-pods=29' -DNSClusterIP '10.100.0.10'
</powershell>`);
});

test('10: a node of a custom image gets what users wrote, and no more', () => {
  const custom = (customUserData?: string) => familyOf('Custom').userData(bootstrapInput({ customUserData }), SILENT);
  expect(custom('anything\r\n')).toBe('anything\r\n');
  expect(custom()).toBe('');
});
