import { minorOf } from '../version/supported-versions.ts';

const LAST_MINOR_OF_AL2 = 32;
const FIRST_MINOR_OF_WINDOWS_2025 = 35;

/** The alias's family does not exist for the cluster's version of Kubernetes. */
export class UnsupportedAliasError extends Error {
  override readonly name = 'UnsupportedAliasError';
}

/** @throws UnsupportedAliasError when nodes of the family can't join a cluster of this version (aws-provider.md section 6). */
export function requireSupportedAlias(family: string, kubernetes: string): void {
  const minor = minorOf(kubernetes);
  if (minor === undefined) return;
  if (family === 'AL2' && minor > LAST_MINOR_OF_AL2) {
    throw new UnsupportedAliasError(
      'AL2 aliases are no longer supported on EKS 1.33+ (see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html#kubernetes-1-33)',
    );
  }
  if (family === 'Windows2025' && minor < FIRST_MINOR_OF_WINDOWS_2025) {
    throw new UnsupportedAliasError(
      `Windows Server 2025 requires EKS version 1.35 or higher, current version: ${kubernetes}`,
    );
  }
}
