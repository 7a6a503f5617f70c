/** What a log line says beyond its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log lines, under upstream's field names. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
}

/** Says nothing: for simulations and tests. */
export const SILENT: Logger = { debug() {}, info() {}, error() {} };
