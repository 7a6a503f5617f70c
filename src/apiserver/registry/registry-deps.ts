import type { Clock, Random } from '../../kube/clock.ts';
import type { JsonObject, Kind } from '../kind.ts';
import type { Store } from '../store/store.ts';
import type { AdmissionChain } from './admission-chain.ts';
import type { Catalog } from './catalog.ts';
import type { FieldManagement } from './field-management.ts';
import type { GroupVersionKind, ResourceDefinition } from './resource-definition.ts';

/** What knows the fields of each kind. */
export interface KindSource {
  /** The kind of a resource's objects. */
  of(resource: ResourceDefinition): Kind;
  /**
   * A stored object as the resource's version shows it: converted, and with the defaults of a custom resource's schema
   * as it is now. The same object whenever it can be.
   */
  shown(resource: ResourceDefinition, stored: JsonObject): JsonObject;
  /** A kind by its name, for the bodies of subresources. */
  named(kind: GroupVersionKind): Kind;
}

/** What the verbs work with. */
export interface RegistryDeps {
  readonly store: Store;
  readonly catalog: Catalog;
  readonly kinds: KindSource;
  readonly fields: Pick<FieldManagement, 'update' | 'apply'>;
  readonly admission: AdmissionChain;
  readonly clock: Clock;
  readonly random: Random;
}
