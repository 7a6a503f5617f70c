import type { CustomResourceDefinition } from '../../apis/crds/definition.ts';
import { jsonEqual } from '../../kube/json-equal.ts';
import { withStorageVersion } from '../crd/definition/definition-status.ts';
import { asArray, asObject, asString, isObject } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { metaOf, nameOf, uidOf, withMeta } from '../object-meta.ts';
import { localCondition } from './local-api-services.ts';
import type { RegistryDeps } from './registry-deps.ts';
import type { WriteRequest } from './request.ts';
import { allocateService } from './service-addresses.ts';

type Prepare = (deps: RegistryDeps, request: WriteRequest, object: JsonObject) => JsonObject;

/** What the server itself puts into new objects, by collection (the PrepareForCreate of upstream's strategies). */
const byCollection: Readonly<Record<string, Prepare>> = {
  namespaces: (_deps, _request, object) => {
    const labels = { ...asObject(metaOf(object).labels), 'kubernetes.io/metadata.name': nameOf(object) };
    const given = asObject(object.spec).finalizers;
    const finalizers = Array.isArray(given) ? given : [];
    const kept = finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'];
    return { ...withMeta(object, { labels }), spec: { ...asObject(object.spec), finalizers: kept } };
  },
  services: (deps, request, object) => allocateService(deps, request, object),
  'apiextensions.k8s.io/customresourcedefinitions': (_deps, _request, object) => ({
    ...object,
    status: {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: storedVersions(object),
    },
  }),
  'apiregistration.k8s.io/apiservices': ({ clock }, _request, object) => {
    const { service } = asObject(object.spec);
    if (service !== undefined && service !== null) return object;
    return { ...object, status: { conditions: [localCondition(clock.now())] } };
  },
  'batch/jobs': (_deps, _request, object) => withJobSelector(object),
  'certificates.k8s.io/certificatesigningrequests': (_deps, { user }, object) => ({
    ...object,
    spec: {
      ...without(asObject(object.spec), 'username', 'uid', 'groups', 'extra'),
      username: user.name,
      ...(user.uid ? { uid: user.uid } : {}),
      groups: user.groups,
      ...(user.extra ? { extra: user.extra } : {}),
    },
  }),
  // Coordinated leader election is off, so the fields it adds are dropped.
  'coordination.k8s.io/leases': (_deps, _request, object) => {
    if (!isObject(object.spec)) return object;
    const { strategy: _, preferredHolder: __, ...spec } = object.spec;
    return { ...object, spec };
  },
};

const without = (object: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

export const prepareNew: Prepare = (deps, request, object) =>
  byCollection[request.resource.collection]?.(deps, request, object) ?? object;

function storedVersions(definition: JsonObject): readonly string[] {
  const spec = asObject(definition.spec);
  const versions = asArray(spec.versions);
  return withStorageVersion({
    ...definition,
    spec: { ...spec, versions },
    status: {},
  } as unknown as CustomResourceDefinition);
}

/** Jobs select their pods by their own uid unless told to take a selector as it is. */
function withJobSelector(job: JsonObject): JsonObject {
  const spec = asObject(job.spec);
  if (spec.manualSelector === true || !spec.template) return job;
  const template = asObject(spec.template);
  const uid = uidOf(job);
  const labels = {
    ...asObject(metaOf(template).labels),
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': asString(nameOf(job)),
    'controller-uid': uid,
    'job-name': asString(nameOf(job)),
  };
  const selector = asObject(spec.selector);
  const matchLabels = { ...asObject(selector.matchLabels), 'batch.kubernetes.io/controller-uid': uid };
  // Labels that a job got from its template are the template's, also the ones added here.
  const own = metaOf(job).labels;
  const shared = own !== undefined && jsonEqual(own, metaOf(template).labels);
  return {
    ...(shared ? withMeta(job, { labels }) : job),
    spec: { ...spec, selector: { ...selector, matchLabels }, template: withMeta(template, { labels }) },
  };
}
