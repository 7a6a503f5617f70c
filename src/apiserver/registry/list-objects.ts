import { badRequest, expired, refusal } from '../api-refusals.ts';
import type { JsonObject } from '../kind.ts';
import { labelsOf } from '../object-meta.ts';
import { CompactedError } from '../store/store-errors.ts';
import { decodeContinue, encodeContinue } from './continue-token.ts';
import { parseFieldSelector } from './field-selector.ts';
import { requestedLabels } from './label-selector.ts';
import { checkListQuery, type ListQuery, parseResourceVersion } from './list-options.ts';
import { objectKey } from './object-key.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { ResourceRequest } from './request.ts';
import type { ResourceDefinition } from './resource-definition.ts';

export interface ObjectList {
  readonly items: readonly JsonObject[];
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

type Read = readonly (readonly [string, JsonObject])[];

/** The list verb: selectors, pages on one snapshot, exact and minimum versions. */
export function listObjects({ store, kinds }: RegistryDeps, request: ResourceRequest, query: ListQuery): ObjectList {
  const { resource, namespace } = request;
  const matches = matcher(resource, query);
  checkListQuery(query, false);
  const asked = parseResourceVersion(query.resourceVersion);
  if (query.continue && asked > 0) {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const exact = query.resourceVersionMatch === 'Exact';
  if (asked > store.revision) throw tooLargeVersion(asked, store.revision);
  const from = query.continue ? decodeContinue(query.continue) : undefined;
  const revision = from?.revision ?? (exact || (asked > 0 && limited(query)) ? asked : store.revision);
  const name = singleName(resource, query);
  const prefix = resource.namespaced && namespace ? `${namespace}/` : '';
  const all = name === undefined || from ? read() : one(name);
  const found = all.filter(([, object]) => matches(object));
  const page = limited(query) && found.length > query.limit ? found.slice(0, query.limit) : found;
  const items = page.map(([, object]) => kinds.shown(resource, object));
  const last = page.at(-1)?.[0];
  if (page.length === found.length || last === undefined) return { items, resourceVersion: String(revision) };
  const selecting = Boolean(query.labelSelector || query.fieldSelector);
  return {
    items,
    resourceVersion: String(revision),
    continue: encodeContinue({ revision, after: last }),
    ...(selecting ? {} : { remainingItemCount: found.length - page.length }),
  };

  function read(): Read {
    try {
      return store.list(resource.collection, prefix, revision, from?.after);
    } catch (error) {
      if (!(error instanceof CompactedError)) throw error;
      throw from
        ? expired(
            'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
          )
        : expired(`The resourceVersion for the provided list is too old.`);
    }
  }

  /** A selector by name in one namespace needs no scan. */
  function one(wanted: string): Read {
    if (revision !== store.revision || (resource.namespaced && !namespace)) return read();
    const key = objectKey(resource, namespace, wanted);
    const object = store.get(resource.collection, key);
    return object ? [[key, object]] : [];
  }
}

const limited = (query: ListQuery): query is ListQuery & { readonly limit: number } =>
  query.limit !== undefined && query.limit > 0 && query.resourceVersion !== '0';

const singleName = (resource: ResourceDefinition, query: ListQuery): string | undefined =>
  query.fieldSelector ? parseFieldSelector(query.fieldSelector, resource).name : undefined;

/** The query's selectors as one test of a stored object. Throws ApiError 400. */
export function matcher(resource: ResourceDefinition, query: ListQuery): (object: JsonObject) => boolean {
  const labels = query.labelSelector ? requestedLabels(query.labelSelector) : undefined;
  const fields = query.fieldSelector ? parseFieldSelector(query.fieldSelector, resource) : undefined;
  return (object) => (!labels || labels(labelsOf(object))) && (!fields || fields.matches(object));
}

export const tooLargeVersion = (asked: number, current: number) =>
  refusal(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
