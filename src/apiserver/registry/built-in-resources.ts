/** The built-in resources as kube-apiserver v1.36 serves them by default, as data. */
import type {
  GroupVersionKind,
  ResourceDefinition,
  ScalePaths,
  SubresourceDefinition,
  Verb,
} from './resource-definition.ts';

interface Row {
  readonly plural: string;
  readonly kind: string;
  readonly singular?: string;
  /** Cluster-wide. */
  readonly cluster?: true;
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly Verb[];
  readonly status?: true;
  readonly scale?: ScalePaths;
  readonly sub?: Readonly<Record<string, SubresourceDefinition>>;
  /** No generation in metadata. */
  readonly ungenerated?: true;
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** Stored as another version or group. */
  readonly storedAs?: { readonly group: string; readonly version: string };
  readonly warning?: string;
}

const all: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const write: SubresourceDefinition = { verbs: ['get', 'patch', 'update'] };
const only = (verbs: readonly Verb[], kind?: GroupVersionKind): SubresourceDefinition =>
  kind ? { verbs, kind } : { verbs };
const scaleKind: GroupVersionKind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const core = (kind: string): GroupVersionKind => ({ group: '', version: 'v1', kind });
const scalable: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};
const eventFields = {
  'involvedObject.kind': ['involvedObject', 'kind'],
  'involvedObject.namespace': ['involvedObject', 'namespace'],
  'involvedObject.name': ['involvedObject', 'name'],
  'involvedObject.uid': ['involvedObject', 'uid'],
  'involvedObject.apiVersion': ['involvedObject', 'apiVersion'],
  'involvedObject.resourceVersion': ['involvedObject', 'resourceVersion'],
  'involvedObject.fieldPath': ['involvedObject', 'fieldPath'],
  reason: ['reason'],
  reportingComponent: ['reportingComponent'],
  source: ['source', 'component'],
  type: ['type'],
};
const proxyVerbs: readonly Verb[] = ['create', 'delete', 'get', 'patch', 'update'];
const create: readonly Verb[] = ['create'];

const table: Readonly<Record<string, readonly Row[]>> = {
  v1: [
    { plural: 'bindings', kind: 'Binding', verbs: create },
    {
      plural: 'componentstatuses',
      singular: 'componentstatus',
      kind: 'ComponentStatus',
      cluster: true,
      short: ['cs'],
      verbs: ['get', 'list'],
      warning: 'v1 ComponentStatus is deprecated in v1.19+',
    },
    { plural: 'configmaps', kind: 'ConfigMap', short: ['cm'], ungenerated: true },
    {
      plural: 'endpoints',
      singular: 'endpoints',
      kind: 'Endpoints',
      short: ['ep'],
      ungenerated: true,
      warning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    },
    { plural: 'events', kind: 'Event', short: ['ev'], ungenerated: true, fields: eventFields },
    { plural: 'limitranges', kind: 'LimitRange', short: ['limits'], ungenerated: true },
    {
      plural: 'namespaces',
      kind: 'Namespace',
      cluster: true,
      short: ['ns'],
      status: true,
      ungenerated: true,
      verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
      sub: { finalize: only(['update']) },
      fields: { 'status.phase': ['status', 'phase'] },
    },
    {
      plural: 'nodes',
      kind: 'Node',
      cluster: true,
      short: ['no'],
      status: true,
      ungenerated: true,
      sub: { proxy: only(proxyVerbs, core('NodeProxyOptions')) },
      fields: { 'spec.unschedulable': ['spec', 'unschedulable'] },
    },
    {
      plural: 'persistentvolumeclaims',
      kind: 'PersistentVolumeClaim',
      short: ['pvc'],
      status: true,
      ungenerated: true,
    },
    {
      plural: 'persistentvolumes',
      kind: 'PersistentVolume',
      cluster: true,
      short: ['pv'],
      status: true,
      ungenerated: true,
    },
    {
      plural: 'pods',
      kind: 'Pod',
      short: ['po'],
      categories: ['all'],
      status: true,
      sub: {
        attach: only(['create', 'get'], core('PodAttachOptions')),
        binding: only(create, core('Binding')),
        ephemeralcontainers: write,
        eviction: only(create, { group: 'policy', version: 'v1', kind: 'Eviction' }),
        exec: only(['create', 'get'], core('PodExecOptions')),
        log: only(['get']),
        portforward: only(['create', 'get'], core('PodPortForwardOptions')),
        proxy: only(proxyVerbs, core('PodProxyOptions')),
        resize: write,
      },
      fields: {
        'spec.nodeName': ['spec', 'nodeName'],
        'spec.restartPolicy': ['spec', 'restartPolicy'],
        'spec.schedulerName': ['spec', 'schedulerName'],
        'spec.serviceAccountName': ['spec', 'serviceAccountName'],
        'spec.hostNetwork': ['spec', 'hostNetwork'],
        'status.phase': ['status', 'phase'],
        'status.podIP': ['status', 'podIP'],
        'status.nominatedNodeName': ['status', 'nominatedNodeName'],
      },
    },
    { plural: 'podtemplates', kind: 'PodTemplate' },
    {
      plural: 'replicationcontrollers',
      kind: 'ReplicationController',
      short: ['rc'],
      categories: ['all'],
      status: true,
      scale: scalable,
      fields: { 'status.replicas': ['status', 'replicas'] },
    },
    { plural: 'resourcequotas', kind: 'ResourceQuota', short: ['quota'], status: true, ungenerated: true },
    { plural: 'secrets', kind: 'Secret', ungenerated: true, fields: { type: ['type'] } },
    {
      plural: 'serviceaccounts',
      kind: 'ServiceAccount',
      short: ['sa'],
      ungenerated: true,
      sub: { token: only(create, { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }) },
    },
    {
      plural: 'services',
      kind: 'Service',
      short: ['svc'],
      categories: ['all'],
      status: true,
      ungenerated: true,
      sub: { proxy: only(proxyVerbs, core('ServiceProxyOptions')) },
      fields: { 'spec.clusterIP': ['spec', 'clusterIP'], 'spec.type': ['spec', 'type'] },
    },
  ],
  'admissionregistration.k8s.io/v1': [
    {
      plural: 'mutatingadmissionpolicies',
      singular: 'mutatingadmissionpolicy',
      kind: 'MutatingAdmissionPolicy',
      cluster: true,
      categories: ['api-extensions'],
    },
    {
      plural: 'mutatingadmissionpolicybindings',
      kind: 'MutatingAdmissionPolicyBinding',
      cluster: true,
      categories: ['api-extensions'],
    },
    {
      plural: 'mutatingwebhookconfigurations',
      kind: 'MutatingWebhookConfiguration',
      cluster: true,
      categories: ['api-extensions'],
    },
    {
      plural: 'validatingadmissionpolicies',
      singular: 'validatingadmissionpolicy',
      kind: 'ValidatingAdmissionPolicy',
      cluster: true,
      categories: ['api-extensions'],
      status: true,
    },
    {
      plural: 'validatingadmissionpolicybindings',
      kind: 'ValidatingAdmissionPolicyBinding',
      cluster: true,
      categories: ['api-extensions'],
    },
    {
      plural: 'validatingwebhookconfigurations',
      kind: 'ValidatingWebhookConfiguration',
      cluster: true,
      categories: ['api-extensions'],
    },
  ],
  'apiextensions.k8s.io/v1': [
    {
      plural: 'customresourcedefinitions',
      kind: 'CustomResourceDefinition',
      cluster: true,
      short: ['crd', 'crds'],
      categories: ['api-extensions'],
      status: true,
    },
  ],
  'apiregistration.k8s.io/v1': [
    {
      plural: 'apiservices',
      kind: 'APIService',
      cluster: true,
      categories: ['api-extensions'],
      status: true,
      ungenerated: true,
    },
  ],
  'apps/v1': [
    { plural: 'controllerrevisions', kind: 'ControllerRevision', ungenerated: true },
    { plural: 'daemonsets', kind: 'DaemonSet', short: ['ds'], categories: ['all'], status: true },
    {
      plural: 'deployments',
      kind: 'Deployment',
      short: ['deploy'],
      categories: ['all'],
      status: true,
      scale: scalable,
    },
    {
      plural: 'replicasets',
      kind: 'ReplicaSet',
      short: ['rs'],
      categories: ['all'],
      status: true,
      scale: scalable,
      fields: { 'status.replicas': ['status', 'replicas'] },
    },
    { plural: 'statefulsets', kind: 'StatefulSet', short: ['sts'], categories: ['all'], status: true, scale: scalable },
  ],
  'authentication.k8s.io/v1': [
    { plural: 'selfsubjectreviews', kind: 'SelfSubjectReview', cluster: true, verbs: create },
    { plural: 'tokenreviews', kind: 'TokenReview', cluster: true, verbs: create },
  ],
  'authorization.k8s.io/v1': [
    { plural: 'localsubjectaccessreviews', kind: 'LocalSubjectAccessReview', verbs: create },
    { plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', cluster: true, verbs: create },
    { plural: 'selfsubjectrulesreviews', kind: 'SelfSubjectRulesReview', cluster: true, verbs: create },
    { plural: 'subjectaccessreviews', kind: 'SubjectAccessReview', cluster: true, verbs: create },
  ],
  'autoscaling/v2': [
    {
      plural: 'horizontalpodautoscalers',
      kind: 'HorizontalPodAutoscaler',
      short: ['hpa'],
      categories: ['all'],
      status: true,
      ungenerated: true,
    },
  ],
  'autoscaling/v1': [
    {
      plural: 'horizontalpodautoscalers',
      kind: 'HorizontalPodAutoscaler',
      short: ['hpa'],
      categories: ['all'],
      status: true,
      ungenerated: true,
      storedAs: { group: 'autoscaling', version: 'v2' },
    },
  ],
  'batch/v1': [
    { plural: 'cronjobs', kind: 'CronJob', short: ['cj'], categories: ['all'], status: true },
    {
      plural: 'jobs',
      kind: 'Job',
      categories: ['all'],
      status: true,
      fields: { 'status.successful': ['status', 'succeeded'] },
    },
  ],
  'certificates.k8s.io/v1': [
    {
      plural: 'certificatesigningrequests',
      kind: 'CertificateSigningRequest',
      cluster: true,
      short: ['csr'],
      status: true,
      ungenerated: true,
      sub: { approval: write },
      fields: { 'spec.signerName': ['spec', 'signerName'] },
    },
  ],
  'coordination.k8s.io/v1': [{ plural: 'leases', kind: 'Lease', ungenerated: true }],
  'discovery.k8s.io/v1': [{ plural: 'endpointslices', kind: 'EndpointSlice' }],
  'events.k8s.io/v1': [
    {
      plural: 'events',
      kind: 'Event',
      short: ['ev'],
      ungenerated: true,
      storedAs: { group: '', version: 'v1' },
      fields: {
        'regarding.kind': ['involvedObject', 'kind'],
        'regarding.namespace': ['involvedObject', 'namespace'],
        'regarding.name': ['involvedObject', 'name'],
        'regarding.uid': ['involvedObject', 'uid'],
        'regarding.apiVersion': ['involvedObject', 'apiVersion'],
        'regarding.resourceVersion': ['involvedObject', 'resourceVersion'],
        'regarding.fieldPath': ['involvedObject', 'fieldPath'],
        reason: ['reason'],
        reportingController: ['reportingComponent'],
        type: ['type'],
      },
    },
  ],
  'flowcontrol.apiserver.k8s.io/v1': [
    { plural: 'flowschemas', kind: 'FlowSchema', cluster: true, status: true },
    { plural: 'prioritylevelconfigurations', kind: 'PriorityLevelConfiguration', cluster: true, status: true },
  ],
  'networking.k8s.io/v1': [
    { plural: 'ingressclasses', singular: 'ingressclass', kind: 'IngressClass', cluster: true },
    { plural: 'ingresses', singular: 'ingress', kind: 'Ingress', short: ['ing'], status: true },
    { plural: 'ipaddresses', singular: 'ipaddress', kind: 'IPAddress', cluster: true, short: ['ip'] },
    { plural: 'networkpolicies', singular: 'networkpolicy', kind: 'NetworkPolicy', short: ['netpol'] },
    { plural: 'servicecidrs', kind: 'ServiceCIDR', cluster: true, status: true },
  ],
  'node.k8s.io/v1': [
    { plural: 'runtimeclasses', singular: 'runtimeclass', kind: 'RuntimeClass', cluster: true, ungenerated: true },
  ],
  'policy/v1': [{ plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget', short: ['pdb'], status: true }],
  'rbac.authorization.k8s.io/v1': [
    { plural: 'clusterrolebindings', kind: 'ClusterRoleBinding', cluster: true, ungenerated: true },
    { plural: 'clusterroles', kind: 'ClusterRole', cluster: true, ungenerated: true },
    { plural: 'rolebindings', kind: 'RoleBinding', ungenerated: true },
    { plural: 'roles', kind: 'Role', ungenerated: true },
  ],
  'resource.k8s.io/v1': [
    { plural: 'deviceclasses', singular: 'deviceclass', kind: 'DeviceClass', cluster: true },
    { plural: 'resourceclaims', kind: 'ResourceClaim', status: true, ungenerated: true },
    { plural: 'resourceclaimtemplates', kind: 'ResourceClaimTemplate', ungenerated: true },
    {
      plural: 'resourceslices',
      kind: 'ResourceSlice',
      cluster: true,
      fields: { 'spec.driver': ['spec', 'driver'], 'spec.nodeName': ['spec', 'nodeName'] },
    },
  ],
  'scheduling.k8s.io/v1': [
    { plural: 'priorityclasses', singular: 'priorityclass', kind: 'PriorityClass', cluster: true, short: ['pc'] },
  ],
  'storage.k8s.io/v1': [
    { plural: 'csidrivers', kind: 'CSIDriver', cluster: true },
    { plural: 'csinodes', kind: 'CSINode', cluster: true, ungenerated: true },
    { plural: 'csistoragecapacities', singular: 'csistoragecapacity', kind: 'CSIStorageCapacity', ungenerated: true },
    {
      plural: 'storageclasses',
      singular: 'storageclass',
      kind: 'StorageClass',
      cluster: true,
      short: ['sc'],
      ungenerated: true,
    },
    { plural: 'volumeattachments', kind: 'VolumeAttachment', cluster: true, status: true },
    {
      plural: 'volumeattributesclasses',
      singular: 'volumeattributesclass',
      kind: 'VolumeAttributesClass',
      cluster: true,
      short: ['vac'],
      ungenerated: true,
    },
  ],
};

function define(apiVersion: string, row: Row): ResourceDefinition {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const stored = row.storedAs ?? { group, version };
  return {
    group,
    version,
    kind: row.kind,
    plural: row.plural,
    singular: row.singular ?? row.plural.slice(0, -1),
    listKind: `${row.kind}List`,
    namespaced: !row.cluster,
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    verbs: row.verbs ?? all,
    subresources: {
      ...row.sub,
      ...(row.status ? { status: write } : {}),
      ...(row.scale ? { scale: only(['get', 'patch', 'update'], scaleKind) } : {}),
    },
    ...(row.scale ? { scale: row.scale } : {}),
    collection: stored.group ? `${stored.group}/${row.plural}` : row.plural,
    storageVersion: stored,
    generation: row.ungenerated ? 'none' : 'spec',
    selectableFields: row.fields ?? {},
    ...(row.warning ? { warning: row.warning } : {}),
  };
}

/** All built-in resources, in no particular order. */
export const builtInResources = (): readonly ResourceDefinition[] =>
  Object.entries(table).flatMap(([apiVersion, rows]) => rows.map((row) => define(apiVersion, row)));

/** The groups in the order of discovery, which is the order clients prefer them in; each with its versions, best first. */
export const builtInGroups: readonly { readonly name: string; readonly versions: readonly string[] }[] = [
  { name: '', versions: ['v1'] },
  { name: 'apiregistration.k8s.io', versions: ['v1'] },
  { name: 'apps', versions: ['v1'] },
  { name: 'events.k8s.io', versions: ['v1'] },
  { name: 'authentication.k8s.io', versions: ['v1'] },
  { name: 'authorization.k8s.io', versions: ['v1'] },
  { name: 'autoscaling', versions: ['v2', 'v1'] },
  { name: 'batch', versions: ['v1'] },
  { name: 'certificates.k8s.io', versions: ['v1'] },
  { name: 'networking.k8s.io', versions: ['v1'] },
  { name: 'policy', versions: ['v1'] },
  { name: 'rbac.authorization.k8s.io', versions: ['v1'] },
  { name: 'storage.k8s.io', versions: ['v1'] },
  { name: 'admissionregistration.k8s.io', versions: ['v1'] },
  { name: 'apiextensions.k8s.io', versions: ['v1'] },
  { name: 'scheduling.k8s.io', versions: ['v1'] },
  { name: 'coordination.k8s.io', versions: ['v1'] },
  { name: 'node.k8s.io', versions: ['v1'] },
  { name: 'discovery.k8s.io', versions: ['v1'] },
  { name: 'resource.k8s.io', versions: ['v1'] },
  { name: 'flowcontrol.apiserver.k8s.io', versions: ['v1'] },
];
