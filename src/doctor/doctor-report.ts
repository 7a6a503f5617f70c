import type { Verdict } from './finding.ts';
import type { PlacedFinding } from './run-checks.ts';

/** A statement of an IAM policy, as policies are written. */
export interface PolicyDocumentStatement {
  readonly Sid: string;
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** Whether the controller would work here, one finding a line. */
export interface DoctorReport {
  readonly apiVersion: string;
  readonly kind: 'DoctorReport';
  readonly provider: string | null;
  readonly findings: readonly PlacedFinding[];
  readonly counts: Readonly<Record<Verdict, number>>;
  /** Statements that are missing from the policies of the controller's role, each once: they can be put into one as they are. */
  readonly statements: readonly PolicyDocumentStatement[];
  /** Whom this program ever talks to. */
  readonly privacy: string;
}

const PRIVACY =
  'No calls home, no update check, no crash upload: the only hosts ever contacted are the cluster of the kubeconfig and the AWS endpoints of the region.';

export function doctorReport(
  apiVersion: string,
  provider: string | undefined,
  findings: readonly PlacedFinding[],
  statements: readonly PolicyDocumentStatement[],
): DoctorReport {
  const count = (verdict: Verdict): number => findings.filter((finding) => finding.verdict === verdict).length;
  return {
    apiVersion,
    kind: 'DoctorReport',
    provider: provider ?? null,
    findings,
    counts: { pass: count('pass'), warn: count('warn'), fail: count('fail'), skipped: count('skipped') },
    statements,
    privacy: PRIVACY,
  };
}
