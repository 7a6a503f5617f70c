/** The version of upstream Karpenter whose behaviour this program has. */
export const UPSTREAM_VERSION = 'v1.14.1';
/** The version of Kubernetes that the embedded API answers as. */
export const KUBERNETES_VERSION = 'v1.36.3';

export interface ProgramVersion {
  readonly version: string;
  /** Name and version in one, for errors. */
  readonly text: string;
}

export function programVersion(version: string): ProgramVersion {
  return { version, text: `kubectl-karpenter v${version} (Karpenter ${UPSTREAM_VERSION}), Node.js ${process.version}` };
}
