/** The refusals of kube-apiserver, in its words (apimachinery's pkg/api/errors). */
import type { Status } from '../kube/client.ts';
import { ApiError } from '../kube/errors.ts';
import type { FieldError } from './kind.ts';

export interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

type Details = NonNullable<Status['details']>;

/** `deployments.apps`, or `pods` for the core group. */
const qualified = ({ group, resource }: GroupResource): string => (group ? `${resource}.${group}` : resource);

const detailsOf = (of: GroupResource, name: string): Details => ({
  ...(name ? { name } : {}),
  ...(of.group ? { group: of.group } : {}),
  ...(of.resource ? { kind: of.resource } : {}),
});

/** A failure, with the keys in the API's order. */
export function refusal(code: number, reason: string, message: string, details?: Details): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(reason ? { reason } : {}),
    ...(details ? { details } : {}),
    code,
  } as Status);
}

export const badRequest = (message: string): ApiError => refusal(400, 'BadRequest', message);
export const unauthorized = (): ApiError => refusal(401, 'Unauthorized', 'Unauthorized');
export const notFound = (of: GroupResource, name: string): ApiError =>
  refusal(404, 'NotFound', `${qualified(of)} "${name}" not found`, detailsOf(of, name));
export const resourceNotFound = (): ApiError =>
  refusal(404, 'NotFound', 'the server could not find the requested resource', {});
export const alreadyExists = (of: GroupResource, name: string): ApiError =>
  refusal(409, 'AlreadyExists', `${qualified(of)} "${name}" already exists`, detailsOf(of, name));
export const conflict = (of: GroupResource, name: string, cause: string): ApiError =>
  refusal(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${cause}`,
    detailsOf(of, name),
  );
export const objectModified = (of: GroupResource, name: string): ApiError =>
  conflict(of, name, 'the object has been modified; please apply your changes to the latest version and try again');
export const forbidden = (of: GroupResource, name: string, cause: string, causes?: Details['causes']): ApiError => {
  const subject = name ? `${qualified(of)} "${name}"` : qualified(of);
  return refusal(403, 'Forbidden', subject ? `${subject} is forbidden: ${cause}` : `forbidden: ${cause}`, {
    ...detailsOf(of, name),
    ...(causes ? { causes } : {}),
  });
};
export const methodNotAllowed = (): ApiError =>
  refusal(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
export const notAcceptable = (message: string): ApiError => refusal(406, 'NotAcceptable', message);
export const expired = (message: string): ApiError => refusal(410, 'Expired', message);
export const tooLarge = (message: string): ApiError => refusal(413, 'RequestEntityTooLarge', message);
export const unsupportedMediaType = (message: string): ApiError => refusal(415, 'UnsupportedMediaType', message);
export const tooManyRequests = (message: string, causes?: Details['causes'], retryAfterSeconds?: number): ApiError =>
  refusal(429, 'TooManyRequests', message, {
    ...(causes ? { causes } : {}),
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  });
export const internalError = (message: string): ApiError =>
  refusal(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });

/** 422: `Pod "x" is invalid: spec.y: Required value`, with one cause per error. */
export function invalid(of: { group: string; kind: string }, name: string, errors: readonly FieldError[]): ApiError {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  const text = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const kind = of.group ? `${of.kind}.${of.group}` : of.kind;
  return refusal(422, 'Invalid', `${kind} "${name}" is invalid: ${text}`, {
    ...(name ? { name } : {}),
    ...(of.group ? { group: of.group } : {}),
    ...(of.kind ? { kind: of.kind } : {}),
    causes: errors.map(({ type, message, field }) => ({ reason: type, message, field })),
  });
}
