import type { Failure, SchedulingRun } from './scheduling-run.ts';
import type { PodError } from './types.ts';

export function podError(_run: SchedulingRun, failure: Failure): PodError {
  return { code: failure.kind === 'reserved' ? 'ReservedOffering' : 'InsufficientResources', message: failure.kind };
}
