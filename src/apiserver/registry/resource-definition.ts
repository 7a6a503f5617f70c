import type { GroupResource } from '../api-refusals.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface SubresourceDefinition {
  readonly verbs: readonly Verb[];
  /** The kind of its bodies where that isn't the resource's own. */
  readonly kind?: GroupVersionKind;
}

/** Where a kind keeps what the scale subresource shows, as paths of keys. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** A string, or a label selector that is printed as one. */
  readonly selector?: readonly string[];
}

/** One resource in one version, as data: what URLs, discovery and the verbs need to know. */
export interface ResourceDefinition extends GroupVersionKind {
  /** As in the URL. */
  readonly plural: string;
  readonly singular: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  readonly subresources: Readonly<Record<string, SubresourceDefinition>>;
  readonly scale?: ScalePaths;
  /** The store's collection, shared by all versions of the resource. */
  readonly collection: string;
  /** The version objects are stored in. */
  readonly storageVersion: { readonly group: string; readonly version: string };
  /** The object's generation counts changes of its spec (or, for `all`, of anything but metadata and status). */
  readonly generation: 'spec' | 'none';
  /** Fields that field selectors may name besides metadata.name and metadata.namespace, with the value's path. */
  readonly selectableFields: Readonly<Record<string, readonly string[]>>;
  /** Set for custom resources: the name of their CustomResourceDefinition. */
  readonly crd?: string;
  /** Deprecation, sent with every answer. */
  readonly warning?: string;
}

export const groupResourceOf = (resource: ResourceDefinition): GroupResource => ({
  group: resource.group,
  resource: resource.plural,
});

/** The kind that refusals name: the group is the one objects are stored in, which events share. */
export const groupKindOf = ({ group, kind, collection }: ResourceDefinition): { group: string; kind: string } => ({
  group: collection.includes('/') ? group : '',
  kind,
});

export const apiVersionOf = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group ? `${group}/${version}` : version;

/** Whether a subresource is served. */
export const hasSubresource = (resource: ResourceDefinition, name: string): boolean => name in resource.subresources;
