import type { LabelSelector } from '../../../kube/objects.ts';
import { selects } from '../../../kube/selectors.ts';
import { asObject, asString } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';
import { labelsOf } from '../../object-meta.ts';
import { objectKey } from '../../registry/object-key.ts';
import { apiVersionOf, type ResourceDefinition } from '../../registry/resource-definition.ts';
import type { AdmissionDeps } from '../admission-deps.ts';

/** A policy or binding that can't be used as it is. */
export class PolicyConfigError extends Error {
  override readonly name = 'PolicyConfigError';
}

/** The resource of a policy's paramKind. @throws PolicyConfigError where nothing serves it. */
export const paramResource = (deps: AdmissionDeps, paramKind: JsonObject): ResourceDefinition => {
  const [apiVersion, kind] = [asString(paramKind.apiVersion), asString(paramKind.kind)];
  const found = deps.catalog.all().find((one) => apiVersionOf(one) === apiVersion && one.kind === kind);
  if (found !== undefined) return found;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  throw new PolicyConfigError(`failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`);
};

/**
 * The params that a binding chooses for a request in `namespace`; one undefined where there are none to choose
 * (apiserver policy/generic.CollectParams). @throws PolicyConfigError
 */
export const paramsOf = (
  deps: AdmissionDeps,
  policy: JsonObject,
  binding: JsonObject,
  namespace: string,
): readonly (JsonObject | undefined)[] => {
  const { paramKind } = asObject(policy.spec);
  const { paramRef } = asObject(binding.spec);
  if (paramKind === undefined || paramRef === undefined) return [undefined];
  const resource = paramResource(deps, asObject(paramKind));
  const ref = asObject(paramRef);
  const own = asString(ref.namespace);
  if (own !== '' && !resource.namespaced) {
    throw new PolicyConfigError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  const place = resource.namespaced ? own || namespace : '';
  if (resource.namespaced && place === '') {
    throw new PolicyConfigError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  }
  const params = chosen(deps, resource, place, ref);
  if (params.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    throw new PolicyConfigError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return params.map((stored) => deps.kinds.shown(resource, stored));
};

const chosen = (
  { store }: AdmissionDeps,
  resource: ResourceDefinition,
  namespace: string,
  ref: JsonObject,
): readonly JsonObject[] => {
  const name = asString(ref.name);
  if (name !== '') {
    const found = store.get(resource.collection, objectKey(resource, namespace, name));
    return found === undefined ? [] : [found];
  }
  return store
    .list(resource.collection, namespace === '' ? '' : `${namespace}/`)
    .map(([, object]) => object)
    .filter((object) => selects(asObject(ref.selector) as LabelSelector, labelsOf(object)));
};
