import type { JsonObject } from '../kind.ts';

/** The roles and bindings that every cluster has (kubernetes' plugin/pkg/auth/authorizer/rbac/bootstrappolicy). */

const group = 'rbac.authorization.k8s.io';
const apiVersion = `${group}/v1`;
const read = ['get', 'list', 'watch'];
const write = ['create', 'delete', 'deletecollection', 'patch', 'update'];

type Rules = readonly JsonObject[];

const role = (name: string, rules: Rules, labels: Readonly<Record<string, string>> = {}): JsonObject => ({
  apiVersion,
  kind: 'ClusterRole',
  metadata: {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...labels },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  },
  rules,
});

/** A role whose rules are those of all roles that are labelled for it. */
const aggregate = (name: string, rules: Rules, into?: string): JsonObject => ({
  ...role(name, rules, into ? { [`${group}/aggregate-to-${into}`]: 'true' } : {}),
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [`${group}/aggregate-to-${name}`]: 'true' } }] },
});

const binding = (name: string, roleName: string, groups: readonly string[]): JsonObject => ({
  apiVersion,
  kind: 'ClusterRoleBinding',
  metadata: {
    name,
    labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults' },
    annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
  },
  roleRef: { apiGroup: group, kind: 'ClusterRole', name: roleName },
  subjects: groups.map((one) => ({ kind: 'Group', apiGroup: group, name: one })),
});

const resources = (apiGroup: string, names: readonly string[], verbs: readonly string[]): JsonObject => ({
  verbs,
  apiGroups: [apiGroup],
  resources: names,
});
const urls = (paths: readonly string[]): JsonObject => ({ verbs: ['get'], nonResourceURLs: paths });

const core = ['configmaps', 'persistentvolumeclaims', 'pods', 'replicationcontrollers', 'serviceaccounts', 'services'];
const apps = [
  'daemonsets',
  'deployments',
  'deployments/scale',
  'replicasets',
  'replicasets/scale',
  'statefulsets',
  'statefulsets/scale',
];
const shown = [
  'bindings',
  'events',
  'limitranges',
  'namespaces',
  'namespaces/status',
  'pods/log',
  'pods/status',
  'resourcequotas',
  'endpoints',
];
const networking = ['ingresses', 'networkpolicies'];

const groups: readonly (readonly [string, readonly string[]])[] = [
  ['apps', apps],
  ['autoscaling', ['horizontalpodautoscalers']],
  ['batch', ['cronjobs', 'jobs']],
  ['networking.k8s.io', networking],
  ['policy', ['poddisruptionbudgets']],
];
const viewing: Rules = [
  resources('', [...core, ...shown], read),
  ...groups.map(([name, list]) => resources(name, list, read)),
  resources('discovery.k8s.io', ['endpointslices'], read),
];
const editing: Rules = [
  resources('', ['pods/attach', 'pods/exec', 'pods/portforward', 'pods/proxy', 'secrets', 'services/proxy'], read),
  resources('', ['pods/eviction'], ['create']),
  resources('', [...core, 'secrets'], write),
  ...groups.map(([name, list]) => resources(name, list, write)),
  resources('coordination.k8s.io', ['leases'], [...write, ...read]),
];
const administering: Rules = [
  resources('authorization.k8s.io', ['localsubjectaccessreviews'], ['create']),
  resources(group, ['rolebindings', 'roles'], [...write, ...read]),
];

export const bootstrapRoles: readonly JsonObject[] = [
  role('cluster-admin', [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    { verbs: ['*'], nonResourceURLs: ['*'] },
  ]),
  role('system:discovery', [
    urls([
      '/api',
      '/api/*',
      '/apis',
      '/apis/*',
      '/healthz',
      '/livez',
      '/openapi',
      '/openapi/*',
      '/readyz',
      '/version',
      '/version/',
    ]),
  ]),
  role('system:basic-user', [
    resources('authorization.k8s.io', ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'], ['create']),
    resources('authentication.k8s.io', ['selfsubjectreviews'], ['create']),
  ]),
  role('system:public-info-viewer', [urls(['/healthz', '/livez', '/readyz', '/version', '/version/'])]),
  role('system:service-account-issuer-discovery', [
    urls([
      '/.well-known/openid-configuration',
      '/.well-known/openid-configuration/',
      '/openid/v1/jwks',
      '/openid/v1/jwks/',
    ]),
  ]),
  aggregate('view', viewing, 'edit'),
  aggregate('edit', [...editing, ...viewing], 'admin'),
  aggregate('admin', [...administering, ...editing, ...viewing]),
  role('system:aggregate-to-view', viewing, { [`${group}/aggregate-to-view`]: 'true' }),
  role('system:aggregate-to-edit', editing, { [`${group}/aggregate-to-edit`]: 'true' }),
  role('system:aggregate-to-admin', administering, { [`${group}/aggregate-to-admin`]: 'true' }),
];

export const bootstrapBindings: readonly JsonObject[] = [
  binding('cluster-admin', 'cluster-admin', ['system:masters']),
  binding('system:discovery', 'system:discovery', ['system:authenticated']),
  binding('system:basic-user', 'system:basic-user', ['system:authenticated']),
  binding('system:service-account-issuer-discovery', 'system:service-account-issuer-discovery', [
    'system:serviceaccounts',
  ]),
  binding('system:public-info-viewer', 'system:public-info-viewer', ['system:authenticated', 'system:unauthenticated']),
];
