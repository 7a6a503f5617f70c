/** One error for all that went wrong at the same time; undefined when nothing did. */
export function combinedError(errors: readonly unknown[]): unknown {
  if (errors.length < 2) return errors[0];
  return new AggregateError(errors, errors.map((error) => (error instanceof Error ? error.message : error)).join('; '));
}
