/** What a log line says beyond its message. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured log lines, under upstream's field names. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  error(message: string, error: unknown, fields?: LogFields): void;
  /** Does the work; all lines that it writes, however deep, carry the fields. Absent where nobody reads them. */
  within?<T>(fields: LogFields, work: () => T): T;
}

/** Says nothing: for simulations and tests. */
export const SILENT: Logger = { debug() {}, info() {}, error() {} };
