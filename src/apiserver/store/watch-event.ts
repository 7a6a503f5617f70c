import type { JsonObject } from '../kind.ts';

/** A change of one object. `object` carries the change's revision in metadata.resourceVersion, a deleted one too. */
export interface StoreEvent {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly collection: string;
  readonly key: string;
  readonly object: JsonObject;
  /** What was there before; absent for ADDED. */
  readonly previous?: JsonObject;
}
