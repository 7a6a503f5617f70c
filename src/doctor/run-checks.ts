import type { Clock } from '../kube/clock.ts';
import { type Finding, fail } from './finding.ts';

/** A few questions that are asked together. */
export interface Check {
  /** Under which head its findings are told. */
  readonly area: string;
  /** What is said while it is waited for, and if it does not answer. */
  readonly name: string;
  /** How many answers it waits for one after the other; one unless told. */
  readonly steps?: number;
  run(signal: AbortSignal): Promise<readonly Finding[]>;
}

/** A finding with the head that it is told under. */
export interface PlacedFinding extends Finding {
  readonly area: string;
}

export interface RunChecksOptions {
  readonly clock: Pick<Clock, 'setTimeout'>;
  /** Milliseconds that each answer may take. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told the names of the checks that are still under way, whenever one has ended. */
  readonly onProgress?: (waitingFor: readonly string[]) => void;
}

/**
 * Runs all checks at once; answers what they found, in the order of the checks. A check that throws or does not answer in
 * time is a finding too. Throws only when the signal aborts.
 */
export async function runChecks(
  checks: readonly Check[],
  options: RunChecksOptions,
): Promise<readonly PlacedFinding[]> {
  const waiting = new Set(checks);
  const findings = await Promise.all(
    checks.map(async (check) => {
      const found = await answerOf(check, options);
      waiting.delete(check);
      options.onProgress?.([...waiting].map(({ name }) => name));
      return found.map((finding) => ({ area: check.area, ...finding }));
    }),
  );
  return findings.flat();
}

async function answerOf(check: Check, options: RunChecksOptions): Promise<readonly Finding[]> {
  const { clock, signal } = options;
  const timeoutMs = options.timeoutMs * (check.steps ?? 1);
  signal.throwIfAborted();
  const late = new AbortController();
  const both = AbortSignal.any([signal, late.signal]);
  const cancel = clock.setTimeout(() => late.abort(new Error('too late')), timeoutMs);
  // Not everything that is asked for gives up when told to.
  const aborted = new Promise<never>((_, reject) => {
    both.addEventListener('abort', () => reject(both.reason as Error), { once: true });
  });
  try {
    return await Promise.race([check.run(both), aborted]);
  } catch (error) {
    signal.throwIfAborted();
    if (late.signal.aborted) return [fail(check.name, `no answer within ${timeoutMs / 1000}s`, { fix: [LONGER] })];
    return [fail(check.name, error instanceof Error ? error.message : String(error))];
  } finally {
    cancel();
  }
}

const LONGER =
  '--request-timeout DURATION, to wait longer; else see that nothing between here and there drops the packets';
