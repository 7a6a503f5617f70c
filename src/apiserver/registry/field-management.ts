import type { ApiError } from '../../kube/errors.ts';
import { badRequest, refusal } from '../api-refusals.ts';
import {
  ApplyConflictError,
  ApplyError,
  applyConfiguration,
  resetFields,
  updateManagedFields,
  type Write,
} from '../apply/index.ts';
import type { JsonObject, Kind } from '../kind.ts';
import type { KindSource } from './registry-deps.ts';
import { apiVersionOf, hasSubresource, type ResourceDefinition } from './resource-definition.ts';
import { fromStorage, toStorage } from './version-conversion.ts';

export interface FieldChange {
  readonly resource: ResourceDefinition;
  readonly manager: string;
  /** Empty, or the subresource that is being written. */
  readonly subresource: string;
  /** RFC 3339. */
  readonly now: string;
}

export interface FieldManagementDeps {
  readonly kinds: KindSource;
  /** All versions of a resource, for owners at other versions. */
  readonly versions: (resource: ResourceDefinition) => readonly ResourceDefinition[];
}

/** Who owns which fields: keeps metadata.managedFields, and applies configurations by it. */
export class FieldManagement {
  readonly #deps: FieldManagementDeps;

  constructor(deps: FieldManagementDeps) {
    this.#deps = deps;
  }

  /** `object` with managedFields as after a create or update; `old` is absent for a create. */
  update(change: FieldChange, object: JsonObject, old?: JsonObject): JsonObject {
    const kind = this.#deps.kinds.of(change.resource);
    return updateManagedFields(old ?? emptyOf(kind), object, this.#write(change, kind));
  }

  /** The merge of an applied configuration into `live`, with managedFields. Throws ApiError, 409 for conflicts. */
  apply(change: FieldChange, live: JsonObject | undefined, applied: JsonObject, force: boolean): JsonObject {
    const kind = this.#deps.kinds.of(change.resource);
    const empty = emptyOf(kind);
    const options = { ...this.#write(change, kind), kind: kind.kind, force, empty };
    return applying(() => applyConfiguration(live ?? empty, applied, options));
  }

  #write(change: FieldChange, kind: Kind): Write {
    const { resource, manager, subresource, now } = change;
    const { group } = resource;
    const hasStatus = hasSubresource(resource, 'status');
    const versions = this.#deps.versions(resource);
    return {
      apiVersion: apiVersionOf(resource),
      schema: kind.schema,
      manager,
      subresource,
      now,
      reset: resetFields({ group, kind: kind.kind, subresource, hasStatus, isCustom: resource.crd !== undefined }),
      ...(versions.length < 2
        ? {}
        : {
            convert: (object, apiVersion) => {
              const other = versions.find((one) => apiVersionOf(one) === apiVersion);
              if (!other) return undefined;
              const converted = fromStorage(other, toStorage(resource, object));
              return { object: converted, schema: this.#deps.kinds.of(other).schema() };
            },
          }),
    };
  }
}

const emptyOf = (kind: Kind): JsonObject => kind.decode({ apiVersion: apiVersionOf(kind), kind: kind.kind }).object;

/** Runs an apply, with its errors as the API's. Throws ApiError, 409 for conflicts. */
export function applying(apply: () => JsonObject): JsonObject {
  try {
    return apply();
  } catch (error) {
    if (error instanceof ApplyConflictError) throw refusal(409, 'Conflict', error.message, { causes: error.causes });
    throw error instanceof ApplyError ? refused(error) : error;
  }
}

const refused = ({ status, message }: ApplyError): ApiError =>
  status === 400 ? badRequest(message) : refusal(500, '', message);
