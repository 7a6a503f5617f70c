import type { LogFields } from './logger.ts';

const FIELDS = Symbol('log fields');

/** Gives an error fields that are logged wherever it, or an error that has it as its cause, is. */
export function withLogFields<E extends Error>(error: E, fields: LogFields): E {
  return Object.assign(error, { [FIELDS]: fields });
}

/** The fields of an error and of its causes, the outer ones first. */
export function logFieldsOf(error: unknown): LogFields {
  const fields: LogFields[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (FIELDS in cause) fields.push(cause[FIELDS] as LogFields);
  }
  return Object.assign({}, ...fields.reverse());
}
