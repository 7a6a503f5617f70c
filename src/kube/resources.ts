import type { CapacityBuffer } from '../apis/capacity-buffer.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { NodeOverlay } from '../apis/node-overlay.ts';
import type { NodePool } from '../apis/node-pool.ts';
import type { Resource } from './client.ts';
import type {
  CronJob,
  CSINode,
  DaemonSet,
  Deployment,
  Event,
  Job,
  KubeObject,
  Lease,
  LimitRange,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  PodTemplate,
  PriorityClass,
  ReplicaSet,
  ResourceSlice,
  StatefulSet,
  StorageClass,
  VolumeAttachment,
} from './objects.ts';

const define = <T extends KubeObject = KubeObject>(
  group: string,
  version: string,
  plural: string,
  kind: string,
  namespaced: boolean,
): Resource<T> => ({ group, version, plural, kind, namespaced });

export const Pods = define<Pod>('', 'v1', 'pods', 'Pod', true);
export const Nodes = define<Node>('', 'v1', 'nodes', 'Node', false);
export const Namespaces = define<Namespace>('', 'v1', 'namespaces', 'Namespace', false);
export const PersistentVolumeClaims = define<PersistentVolumeClaim>(
  '',
  'v1',
  'persistentvolumeclaims',
  'PersistentVolumeClaim',
  true,
);
export const PersistentVolumes = define<PersistentVolume>('', 'v1', 'persistentvolumes', 'PersistentVolume', false);
export const Events = define<Event>('', 'v1', 'events', 'Event', true);
export const LimitRanges = define<LimitRange>('', 'v1', 'limitranges', 'LimitRange', true);
export const ResourceQuotas = define('', 'v1', 'resourcequotas', 'ResourceQuota', true);
export const Services = define('', 'v1', 'services', 'Service', true);
export const Endpoints = define('', 'v1', 'endpoints', 'Endpoints', true);
export const PodTemplates = define<PodTemplate>('', 'v1', 'podtemplates', 'PodTemplate', true);
export const ReplicationControllers = define('', 'v1', 'replicationcontrollers', 'ReplicationController', true);
export const ConfigMaps = define('', 'v1', 'configmaps', 'ConfigMap', true);
export const Secrets = define('', 'v1', 'secrets', 'Secret', true);
export const ServiceAccounts = define('', 'v1', 'serviceaccounts', 'ServiceAccount', true);
export const DaemonSets = define<DaemonSet>('apps', 'v1', 'daemonsets', 'DaemonSet', true);
export const Deployments = define<Deployment>('apps', 'v1', 'deployments', 'Deployment', true);
export const ReplicaSets = define<ReplicaSet>('apps', 'v1', 'replicasets', 'ReplicaSet', true);
export const StatefulSets = define<StatefulSet>('apps', 'v1', 'statefulsets', 'StatefulSet', true);
export const ControllerRevisions = define('apps', 'v1', 'controllerrevisions', 'ControllerRevision', true);
export const Jobs = define<Job>('batch', 'v1', 'jobs', 'Job', true);
export const CronJobs = define<CronJob>('batch', 'v1', 'cronjobs', 'CronJob', true);
export const PodDisruptionBudgets = define<PodDisruptionBudget>(
  'policy',
  'v1',
  'poddisruptionbudgets',
  'PodDisruptionBudget',
  true,
);
export const PriorityClasses = define<PriorityClass>(
  'scheduling.k8s.io',
  'v1',
  'priorityclasses',
  'PriorityClass',
  false,
);
export const StorageClasses = define<StorageClass>('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', false);
export const CSINodes = define<CSINode>('storage.k8s.io', 'v1', 'csinodes', 'CSINode', false);
export const CSIDrivers = define('storage.k8s.io', 'v1', 'csidrivers', 'CSIDriver', false);
export const CSIStorageCapacities = define('storage.k8s.io', 'v1', 'csistoragecapacities', 'CSIStorageCapacity', true);
export const VolumeAttachments = define<VolumeAttachment>(
  'storage.k8s.io',
  'v1',
  'volumeattachments',
  'VolumeAttachment',
  false,
);
export const VolumeAttributesClasses = define(
  'storage.k8s.io',
  'v1',
  'volumeattributesclasses',
  'VolumeAttributesClass',
  false,
);
export const Leases = define<Lease>('coordination.k8s.io', 'v1', 'leases', 'Lease', true);
export const EndpointSlices = define('discovery.k8s.io', 'v1', 'endpointslices', 'EndpointSlice', true);
export const EventsV1 = define('events.k8s.io', 'v1', 'events', 'Event', true);
export const HorizontalPodAutoscalers = define(
  'autoscaling',
  'v2',
  'horizontalpodautoscalers',
  'HorizontalPodAutoscaler',
  true,
);
export const RuntimeClasses = define('node.k8s.io', 'v1', 'runtimeclasses', 'RuntimeClass', false);
export const Ingresses = define('networking.k8s.io', 'v1', 'ingresses', 'Ingress', true);
export const IngressClasses = define('networking.k8s.io', 'v1', 'ingressclasses', 'IngressClass', false);
export const NetworkPolicies = define('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy', true);
export const Roles = define('rbac.authorization.k8s.io', 'v1', 'roles', 'Role', true);
export const RoleBindings = define('rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding', true);
export const ClusterRoles = define('rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', false);
export const ClusterRoleBindings = define(
  'rbac.authorization.k8s.io',
  'v1',
  'clusterrolebindings',
  'ClusterRoleBinding',
  false,
);
export const ResourceClaims = define('resource.k8s.io', 'v1', 'resourceclaims', 'ResourceClaim', true);
export const ResourceClaimTemplates = define(
  'resource.k8s.io',
  'v1',
  'resourceclaimtemplates',
  'ResourceClaimTemplate',
  true,
);
export const ResourceSlices = define<ResourceSlice>('resource.k8s.io', 'v1', 'resourceslices', 'ResourceSlice', false);
export const DeviceClasses = define('resource.k8s.io', 'v1', 'deviceclasses', 'DeviceClass', false);
export const CustomResourceDefinitions = define(
  'apiextensions.k8s.io',
  'v1',
  'customresourcedefinitions',
  'CustomResourceDefinition',
  false,
);
export const CertificateSigningRequests = define(
  'certificates.k8s.io',
  'v1',
  'certificatesigningrequests',
  'CertificateSigningRequest',
  false,
);
export const APIServices = define('apiregistration.k8s.io', 'v1', 'apiservices', 'APIService', false);
export const ValidatingAdmissionPolicies = define(
  'admissionregistration.k8s.io',
  'v1',
  'validatingadmissionpolicies',
  'ValidatingAdmissionPolicy',
  false,
);
export const ValidatingAdmissionPolicyBindings = define(
  'admissionregistration.k8s.io',
  'v1',
  'validatingadmissionpolicybindings',
  'ValidatingAdmissionPolicyBinding',
  false,
);
export const MutatingAdmissionPolicies = define(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingadmissionpolicies',
  'MutatingAdmissionPolicy',
  false,
);
export const MutatingAdmissionPolicyBindings = define(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingadmissionpolicybindings',
  'MutatingAdmissionPolicyBinding',
  false,
);
export const ValidatingWebhookConfigurations = define(
  'admissionregistration.k8s.io',
  'v1',
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
  false,
);
export const MutatingWebhookConfigurations = define(
  'admissionregistration.k8s.io',
  'v1',
  'mutatingwebhookconfigurations',
  'MutatingWebhookConfiguration',
  false,
);
export const FlowSchemas = define('flowcontrol.apiserver.k8s.io', 'v1', 'flowschemas', 'FlowSchema', false);
export const PriorityLevelConfigurations = define(
  'flowcontrol.apiserver.k8s.io',
  'v1',
  'prioritylevelconfigurations',
  'PriorityLevelConfiguration',
  false,
);
export const IPAddresses = define('networking.k8s.io', 'v1', 'ipaddresses', 'IPAddress', false);
export const ServiceCIDRs = define('networking.k8s.io', 'v1', 'servicecidrs', 'ServiceCIDR', false);
export const NodePools = define<NodePool>('karpenter.sh', 'v1', 'nodepools', 'NodePool', false);
export const NodeClaims = define<NodeClaim>('karpenter.sh', 'v1', 'nodeclaims', 'NodeClaim', false);
export const NodeOverlays = define<NodeOverlay>('karpenter.sh', 'v1alpha1', 'nodeoverlays', 'NodeOverlay', false);
export const CapacityBuffers = define<CapacityBuffer>(
  'autoscaling.x-k8s.io',
  'v1beta1',
  'capacitybuffers',
  'CapacityBuffer',
  true,
);

/** `group/version`, or only the version for the core group. */
export const apiVersionOf = (resource: Resource): string =>
  resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;

/** `plural.group`, or only the plural for the core group; names the resource whatever its version. */
export const groupResource = (resource: Resource): string =>
  resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
