/** The minor versions of Kubernetes 1 that this Karpenter is made for (aws-provider.md section 2). */
const FIRST_MINOR = 26;
const LAST_MINOR = 36;

/** Why a version, `major.minor`, is none that this Karpenter is made for; undefined when it is. */
export function versionProblem(version: string): string | undefined {
  const minor = minorOf(version);
  const isSupported = /^1\./.test(version) && minor !== undefined && minor >= FIRST_MINOR && minor <= LAST_MINOR;
  return isSupported ? undefined : `karpenter is not compatible with kubernetes version (version=${version})`;
}

/** The minor part of `major.minor`. */
export function minorOf(version: string): number | undefined {
  const minor = Number.parseInt(version.split('.')[1] ?? '', 10);
  return Number.isNaN(minor) ? undefined : minor;
}
