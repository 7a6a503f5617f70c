import type { Io } from './io.ts';

/** The version of every object that a command computes; `schemas/` has one JSON Schema a kind. */
export const REPORT_API_VERSION = 'cli.karpenter.sh/v1alpha1';

export interface Report {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Writes a report to standard output. */
export async function printReport(report: Report, format: 'json' | 'yaml', io: Io): Promise<void> {
  if (format === 'json') {
    io.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    return;
  }
  const { stringify } = await import('yaml');
  io.stdout.write(stringify(report, { lineWidth: 0 }));
}
