/** AWS's code of an error, for example `InvalidInstanceID.NotFound`, also of one that another error has as its cause. */
export function errorCode(error: unknown): string | undefined {
  return serviceError(error)?.name;
}

/** The HTTP status that AWS answered with. */
export function httpStatusOf(error: unknown): number | undefined {
  return serviceError(error)?.$metadata.httpStatusCode;
}

interface ServiceError extends Error {
  readonly $metadata: { readonly httpStatusCode?: number };
}

function serviceError(error: unknown): ServiceError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('$metadata' in cause && typeof cause.$metadata === 'object' && cause.$metadata) return cause as ServiceError;
  }
  return undefined;
}
