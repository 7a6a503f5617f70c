import type { JsonObject } from '../kind.ts';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource that the API serves, as OpenAPI shows it. Verbs are those of discovery. */
export interface OpenApiResource extends GroupVersionKind {
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly OpenApiSubresource[];
  /** The structural schema of a custom resource; absent for a built-in one. */
  readonly schema?: JsonObject;
}

export interface OpenApiSubresource extends GroupVersionKind {
  /** `status`, `scale`, … */
  readonly name: string;
  readonly verbs: readonly string[];
}

export const groupVersionOf = ({ group, version }: { readonly group: string; readonly version: string }): string =>
  group === '' ? version : `${group}/${version}`;

/** `api/v1` or `apis/apps/v1`: the key in the index of /openapi/v3 and the root of the resources' paths. */
export const rootPathOf = (resource: { readonly group: string; readonly version: string }): string =>
  `${resource.group === '' ? 'api' : 'apis'}/${groupVersionOf(resource)}`;

/** `io.k8s.api.core.v1.Pod`-like name of a custom kind: its group backwards, its version and kind. */
export const customName = ({ group, version, kind }: GroupVersionKind): string =>
  [...group.split('.').reverse(), version, kind].join('.');
