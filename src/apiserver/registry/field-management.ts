import type { JsonObject, Kind } from '../kind.ts';

export interface FieldChange {
  readonly kind: Kind;
  readonly manager: string;
  /** Empty, or the subresource that is being written. */
  readonly subresource: string;
  /** RFC 3339. */
  readonly now: string;
}

/** What knows field ownership and the patches that need a kind's schema. */
export interface FieldManagement {
  /** `object` with managedFields as after a create or update by `manager`; `old` is absent for a create. */
  update(change: FieldChange, object: JsonObject, old?: JsonObject): JsonObject;
  /** The merge of an applied configuration into `live`, with managedFields; throws ApiError 409 for conflicts. */
  apply(change: FieldChange & { readonly force: boolean }, live: JsonObject, applied: JsonObject): JsonObject;
}
