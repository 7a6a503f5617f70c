import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, pino } from 'pino';
import type { Clock } from '../kube/clock.ts';
import { logFieldsOf } from '../logging/error-fields.ts';
import type { LogFields, Logger } from '../logging/logger.ts';
import { LogSampler } from './log-sampler.ts';
import type { OperatorOptions } from './options.ts';

export interface JsonLoggerDeps {
  readonly level: OperatorOptions['logLevel'];
  readonly clock: Pick<Clock, 'now'>;
  readonly destination: DestinationStream;
  /** Which source this was built from, where that is known. */
  readonly commit?: string;
}

/**
 * JSON lines under upstream's field names: level, time, logger, message and commit, those of the reconciliation that it
 * happens in, then the caller's. Imported only where lines are written: pino takes a while to load.
 */
export class JsonLogger implements Logger {
  readonly #pino;
  readonly #sampler: LogSampler;
  readonly #context = new AsyncLocalStorage<LogFields>();

  constructor({ level, clock, destination, commit }: JsonLoggerDeps) {
    this.#sampler = new LogSampler({ clock });
    const options = {
      level,
      base: { logger: 'controller', ...(commit ? { commit } : {}) },
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(clock.now()).toISOString()}"`,
      formatters: { level: (label: string) => ({ level: label.toUpperCase() }) },
    };
    this.#pino = pino(options, destination);
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields: LogFields = {}): void {
    this.#write('info', message, fields);
  }

  error(message: string, error: unknown, fields: LogFields = {}): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#write('error', message, { ...fields, ...logFieldsOf(error), error: text });
  }

  within<T>(fields: LogFields, work: () => T): T {
    return this.#context.run({ ...this.#context.getStore(), ...fields }, work);
  }

  #write(level: 'debug' | 'info' | 'error', message: string, fields: LogFields): void {
    if (!this.#pino.isLevelEnabled(level) || !this.#sampler.takes(level, message)) return;
    this.#pino[level]({ ...this.#context.getStore(), ...fields }, message);
  }
}
