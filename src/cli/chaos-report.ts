import { REPORT_API_VERSION } from './report.ts';

/** A machine whose end has been announced. */
export interface Interrupted {
  readonly nodeClaim: string;
  /** Null until it has joined. */
  readonly node: string | null;
  /** `TYPE/ZONE/CAPACITY-TYPE` that it was bought as. */
  readonly offering: string;
  readonly endsAt: string;
}

/** Offerings that can't be bought through a node class. */
export interface SoldOutRow {
  readonly nodeClass: string;
  /** `TYPE/ZONE/CAPACITY-TYPE`, with `*` for any text. */
  readonly offering: string;
  /** Null without end. */
  readonly until: string | null;
}

/** What trouble was made, and what is sold out since. */
export interface ChaosReport {
  readonly apiVersion: typeof REPORT_API_VERSION;
  readonly kind: 'ChaosReport';
  readonly time: string;
  readonly action: 'interrupt' | 'sold-out' | 'available';
  readonly interrupted: readonly Interrupted[];
  readonly soldOut: readonly SoldOutRow[];
}

export function chaosReport(
  action: ChaosReport['action'],
  interrupted: readonly Interrupted[],
  soldOut: readonly SoldOutRow[],
  now: number,
): ChaosReport {
  const time = new Date(now).toISOString();
  return { apiVersion: REPORT_API_VERSION, kind: 'ChaosReport', time, action, interrupted, soldOut };
}
