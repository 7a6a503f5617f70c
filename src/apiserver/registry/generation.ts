import { jsonEqual } from '../../kube/json-equal.ts';
import { asNumber } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { metaOf } from '../object-meta.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import { hasSubresource } from './resource-definition.ts';

/** The generation after an update of the main endpoint: one more if what a controller acts on has changed. */
export function nextGeneration(resource: ResourceDefinition, object: JsonObject, old: JsonObject): number | undefined {
  const now = metaOf(old).generation;
  if (resource.generation === 'none') return now === undefined ? undefined : asNumber(now);
  return asNumber(now) + (changed(resource, object, old) ? 1 : 0);
}

function changed(resource: ResourceDefinition, object: JsonObject, old: JsonObject): boolean {
  const apart = new Set(['apiVersion', 'kind', 'metadata']);
  if (hasSubresource(resource, 'status') || !resource.crd) apart.add('status');
  const keys = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const key of keys) if (!apart.has(key) && !jsonEqual(object[key], old[key])) return true;
  return (
    resource.collection === 'apps/deployments' &&
    !jsonEqual(metaOf(object).annotations ?? {}, metaOf(old).annotations ?? {})
  );
}
