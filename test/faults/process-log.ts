import type { Clock } from '../../src/kube/clock.ts';
import type { Logger } from '../../src/logging/logger.ts';

/** The log of one controller process, line by line. */
export function processLog(clock: Clock, identity: string, tell: (line: string) => void): Logger {
  const line = (message: string, fields: object | undefined, error?: unknown): void =>
    tell(
      [new Date(clock.now()).toISOString().slice(11, 23), identity, message, ...(error ? [String(error)] : [])].join(
        ' ',
      ) + (fields ? ` ${JSON.stringify(fields)}` : ''),
    );
  return {
    debug: (message, fields) => line(message, fields),
    info: (message, fields) => line(message, fields),
    error: (message, error, fields) => line(message, fields, error),
  };
}
