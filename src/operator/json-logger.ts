import { type DestinationStream, pino } from 'pino';
import type { LogFields, Logger } from '../logging/logger.ts';

/**
 * JSON lines under upstream's field names: level, time, logger, message, then the caller's. Imported only where lines are
 * written: pino takes a while to load.
 */
export class JsonLogger implements Logger {
  readonly #pino;

  constructor(level: 'debug' | 'info' | 'error', destination?: DestinationStream) {
    const options = {
      level,
      base: { logger: 'controller' },
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label.toUpperCase() }) },
    };
    this.#pino = destination ? pino(options, destination) : pino(options);
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#pino.debug(fields, message);
  }

  info(message: string, fields: LogFields = {}): void {
    this.#pino.info(fields, message);
  }

  error(message: string, error: unknown, fields: LogFields = {}): void {
    this.#pino.error({ ...fields, error: error instanceof Error ? error.message : String(error) }, message);
  }
}
