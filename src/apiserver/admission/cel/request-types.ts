import type { Environment } from '@marcbachmann/cel-js';

/** The types of `request` and `namespaceObject` (apiserver admission/plugin/cel/compile.go). */
export const registerRequestTypes = (env: Environment): void => {
  const gvk = 'kubernetes.GroupVersionKind';
  const gvr = 'kubernetes.GroupVersionResource';
  env.registerType(gvk, { fields: { group: 'string', version: 'string', kind: 'string' } });
  env.registerType(gvr, { fields: { group: 'string', version: 'string', resource: 'string' } });
  env.registerType('kubernetes.UserInfo', {
    fields: { username: 'string', uid: 'string', groups: 'list<string>', extra: 'map<string, list<string>>' },
  });
  env.registerType('kubernetes.AdmissionRequest', {
    fields: {
      kind: gvk,
      resource: gvr,
      subResource: 'string',
      requestKind: gvk,
      requestResource: gvr,
      requestSubResource: 'string',
      name: 'string',
      namespace: 'string',
      operation: 'string',
      userInfo: 'kubernetes.UserInfo',
      dryRun: 'bool',
      options: 'dyn',
    },
  });
  env.registerType('kubernetes.NamespaceMetadata', {
    fields: {
      name: 'string',
      generateName: 'string',
      namespace: 'string',
      labels: 'map<string, string>',
      annotations: 'map<string, string>',
      UID: 'string',
      creationTimestamp: 'dyn',
      deletionGracePeriodSeconds: 'int',
      deletionTimestamp: 'dyn',
      generation: 'int',
      resourceVersion: 'string',
      finalizers: 'list<string>',
    },
  });
  env.registerType('kubernetes.NamespaceSpec', { fields: { finalizers: 'list<string>' } });
  env.registerType('kubernetes.NamespaceStatus', { fields: { conditions: 'list<dyn>', phase: 'string' } });
  env.registerType('kubernetes.Namespace', {
    fields: {
      metadata: 'kubernetes.NamespaceMetadata',
      spec: 'kubernetes.NamespaceSpec',
      status: 'kubernetes.NamespaceStatus',
    },
  });
  // Requests outside of namespaces have none.
  env.registerOperator(
    'kubernetes.Namespace == null',
    (namespace: ReadonlyMap<string, unknown>) => namespace.get('metadata') === undefined,
  );
};
