import { forbidden } from '../api-refusals.ts';
import { isDeleting } from '../object-meta.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';
import { groupResourceOf } from './resource-definition.ts';

/** Custom resources aren't made while their definition goes. Throws ApiError 403. */
export function checkDefinitionTakes({ store }: RegistryDeps, { resource }: WriteRequest, name: string): void {
  if (!resource.crd) return;
  const definition = store.get('apiextensions.k8s.io/customresourcedefinitions', resource.crd);
  if (!definition || !isDeleting(definition)) return;
  throw forbidden(
    groupResourceOf(resource),
    name,
    'create not allowed while custom resource definition is terminating',
  );
}
