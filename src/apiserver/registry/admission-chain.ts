import type { JsonObject } from '../kind.ts';
import type { WriteRequest } from './request.ts';
import type { GroupVersionKind } from './resource-definition.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Looks up other objects in the form they are stored in. */
export interface ObjectReader {
  get(collection: string, namespace: string, name: string): JsonObject | undefined;
  list(collection: string, namespace?: string): readonly JsonObject[];
}

export interface AdmissionRequest {
  readonly operation: Operation;
  readonly request: WriteRequest;
  /** What is about to be written; for a deletion, what is there. */
  readonly object: JsonObject;
  readonly old?: JsonObject;
  readonly objects: ObjectReader;
  /** The kind of `object` where that isn't the resource's: the body of a subresource. */
  readonly kind?: GroupVersionKind;
}

/**
 * Changes or refuses what is about to be written. Refusals are ApiErrors. A promise comes back only where something outside
 * has a say, so that writes are one step that nothing comes between wherever nobody has.
 */
export interface AdmissionChain {
  mutate(request: AdmissionRequest): JsonObject | Promise<JsonObject>;
  validate(request: AdmissionRequest): void | Promise<void>;
}
