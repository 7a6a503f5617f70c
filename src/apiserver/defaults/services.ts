import { asArray, asObject, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { type Completion, each, fill, within } from './fill.ts';

const port: Completion = (object) => {
  const filled = fill(object, { protocol: 'TCP' });
  const target = filled.targetPort ?? 0;
  return target === 0 || target === '' ? { ...filled, targetPort: filled.port } : filled;
};

/** Whether anything outside of the cluster reaches it. */
const isExposed = (type: string, spec: JsonObject): boolean =>
  type === 'NodePort' || type === 'LoadBalancer' || (type === 'ClusterIP' && asArray(spec.externalIPs).length > 0);

/** `clusterIP` and the first of `clusterIPs` are the same; the former leads. */
const clusterIPs = (spec: JsonObject): JsonObject => {
  const own = asString(spec.clusterIP);
  const list = asArray(spec.clusterIPs);
  if (own !== '' && list.length === 0) return { ...spec, clusterIPs: [own] };
  return own === '' && list.length > 0 ? { ...spec, clusterIP: list[0] } : spec;
};

const specOf: Completion = (spec) => {
  const typed = each(fill(spec, { sessionAffinity: 'None', type: 'ClusterIP' }), 'ports', port);
  const type = asString(typed.type);
  const external = type === 'ExternalName';
  const families = external
    ? {}
    : { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', internalTrafficPolicy: 'Cluster' };
  const filled = fill(typed, {
    ...families,
    ...(isExposed(type, typed) ? { externalTrafficPolicy: 'Cluster' } : {}),
    ...(type === 'LoadBalancer' ? { allocateLoadBalancerNodePorts: true } : {}),
  });
  if (filled.sessionAffinity !== 'ClientIP') return clusterIPs(filled);
  const affine = within(filled, 'sessionAffinityConfig', (config) =>
    within(config, 'clientIP', (part) => fill(part, { timeoutSeconds: 10800 })),
  );
  return clusterIPs(affine);
};

/** core/v1 SetDefaults_Service, with the families of a cluster that speaks IPv4 only. Addresses are not given out here. */
export const completeService: Completion = (service) => within(service, 'spec', specOf);

const endpointPort: Completion = (object) => fill(object, { protocol: 'TCP' });

export const completeEndpoints: Completion = (endpoints) =>
  each(endpoints, 'subsets', (subset) => each(subset, 'ports', endpointPort));

export const completeEndpointSlice: Completion = (slice) =>
  each(slice, 'ports', (object) => fill(object, { name: '', protocol: 'TCP' }));

const policyTypes = (spec: JsonObject): JsonObject => {
  const egress = Object.hasOwn(spec, 'egress') && asArray(spec.egress).length > 0;
  return fill(spec, { policyTypes: egress ? ['Ingress', 'Egress'] : ['Ingress'] });
};

const policyPorts: Completion = (rule) => each(rule, 'ports', endpointPort);

export const completeNetworkPolicy: Completion = (policy) =>
  within(policy, 'spec', (spec) => each(each(policyTypes(spec), 'ingress', policyPorts), 'egress', policyPorts));

const API_GROUP = 'rbac.authorization.k8s.io';

/** Subjects and roles of a binding name their API group. */
export const completeBinding: Completion = (binding) => {
  const referred = within(binding, 'roleRef', (reference) =>
    asString(reference.apiGroup) === '' ? { ...reference, apiGroup: API_GROUP } : reference,
  );
  return each(referred, 'subjects', (subject) => {
    const group = subject.kind === 'User' || subject.kind === 'Group' ? { apiGroup: API_GROUP } : {};
    return asString(asObject(subject).apiGroup) === '' ? { ...subject, ...group } : subject;
  });
};
