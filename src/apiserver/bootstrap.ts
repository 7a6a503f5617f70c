import { bootstrapBindings, bootstrapRoles } from './auth/bootstrap-roles.ts';
import type { JsonObject } from './kind.ts';
import { storeNew } from './registry/create-object.ts';
import { objectKey } from './registry/object-key.ts';
import type { RegistryDeps } from './registry/registry-deps.ts';
import type { UserInfo, WriteRequest } from './registry/request.ts';

const system: UserInfo = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

const namespaceOf = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const priority = (name: string, value: number, description: string): JsonObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  description,
});

interface Wanted {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Of a namespaced object. */
  readonly namespace?: string;
  readonly object: JsonObject;
}

const wanted: readonly Wanted[] = [
  ...['default', 'kube-system', 'kube-public', 'kube-node-lease'].map((name) => ({
    group: '',
    version: 'v1',
    plural: 'namespaces',
    object: namespaceOf(name),
  })),
  {
    group: 'scheduling.k8s.io',
    version: 'v1',
    plural: 'priorityclasses',
    object: priority('system-cluster-critical', 2_000_000_000, 'For pods the cluster needs, on some node.'),
  },
  {
    group: 'scheduling.k8s.io',
    version: 'v1',
    plural: 'priorityclasses',
    object: priority('system-node-critical', 2_000_001_000, 'For pods that may not move from their node.'),
  },
  {
    group: '',
    version: 'v1',
    plural: 'services',
    namespace: 'default',
    object: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kubernetes', labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: {
        type: 'ClusterIP',
        clusterIP: '10.0.0.1',
        internalTrafficPolicy: 'Cluster',
        sessionAffinity: 'None',
        ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
      },
    },
  },
  {
    group: 'flowcontrol.apiserver.k8s.io',
    version: 'v1',
    plural: 'prioritylevelconfigurations',
    object: {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'exempt' },
      spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
    },
  },
  {
    group: 'flowcontrol.apiserver.k8s.io',
    version: 'v1',
    plural: 'flowschemas',
    object: {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: 'exempt' },
      spec: {
        priorityLevelConfiguration: { name: 'exempt' },
        matchingPrecedence: 1,
        rules: [
          {
            subjects: [{ kind: 'Group', group: { name: 'system:masters' } }],
            resourceRules: [
              { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
            ],
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
          },
        ],
      },
    },
  },
];

const roles: readonly Wanted[] = [...bootstrapRoles, ...bootstrapBindings].map((object) => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural: object.kind === 'ClusterRole' ? 'clusterroles' : 'clusterrolebindings',
  object,
}));

/** Makes the objects that every cluster has, where they aren't there. */
export async function bootstrap(deps: RegistryDeps): Promise<void> {
  for (const { group, version, plural, namespace = '', object } of [...wanted, ...roles]) {
    const resource = deps.catalog.find(group, version, plural);
    const name = String((object.metadata as JsonObject).name);
    if (!resource || deps.store.get(resource.collection, objectKey(resource, namespace, name))) continue;
    const request: WriteRequest = {
      resource,
      namespace,
      name: '',
      subresource: '',
      user: system,
      warn: () => undefined,
      fieldManager: 'kube-apiserver',
      fieldValidation: 'Ignore',
      dryRun: false,
    };
    await storeNew(deps, request, object);
  }
}
