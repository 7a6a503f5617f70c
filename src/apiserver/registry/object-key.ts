import type { ResourceDefinition } from './resource-definition.ts';

/** The store's key of an object. */
export const objectKey = (resource: ResourceDefinition, namespace: string, name: string): string =>
  resource.namespaced ? `${namespace}/${name}` : name;
