/**
 * Who owns which field: server-side apply and metadata.managedFields, as pure functions of objects and schemas.
 *
 * - `updateManagedFields`: managedFields after a create, update or patch
 * - `applyConfiguration`: a server-side apply; throws `ApplyConflictError` or `ApplyError`
 * - `resetFields`: what an endpoint resets, to be given to both; `managerName`: the manager of a request
 * - `keepTimestamps`: turns a write that only moves times into none
 * - `scaleManagedFields`, `parentManagedFields`: owners through the scale subresource
 */
export { applyConfiguration } from './apply.ts';
export { ApplyConflictError, ApplyError } from './apply-error.ts';
export { keepTimestamps } from './keep-timestamps.ts';
export { managerName } from './manager-name.ts';
export { resetFields } from './reset-fields.ts';
export { parentManagedFields, scaleManagedFields } from './scale-managers.ts';
export { updateManagedFields, type Write } from './update.ts';
