import type { JsonObject } from '../kind.ts';
import type { WriteRequest } from './request.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Looks up other objects in the form they are stored in. */
export interface ObjectReader {
  get(collection: string, namespace: string, name: string): JsonObject | undefined;
  list(collection: string, namespace?: string): readonly JsonObject[];
}

export interface AdmissionRequest {
  readonly operation: Operation;
  readonly request: WriteRequest;
  readonly object: JsonObject;
  readonly old?: JsonObject;
  readonly objects: ObjectReader;
}

/** Changes or refuses what is about to be written. Refusals are ApiErrors. */
export interface AdmissionChain {
  mutate(request: AdmissionRequest): JsonObject;
  validate(request: AdmissionRequest): void;
}
