import {
  completeMutatingWebhooks,
  completePolicy,
  completePolicyBinding,
  completeValidatingWebhooks,
} from './admission-configurations.ts';
import {
  completeApiService,
  completeAutoscaler,
  completeAutoscalerV1,
  completeCsiDriver,
  completeLimitRange,
  completeNamespace,
  completeNode,
  completePersistentVolume,
  completePersistentVolumeClaim,
  completePriorityClass,
  completeSecret,
  completeStorageClass,
} from './cluster-objects.ts';
import type { Completion } from './fill.ts';
import { completePod } from './pods.ts';
import {
  completeBinding,
  completeEndpointSlice,
  completeEndpoints,
  completeNetworkPolicy,
  completeService,
} from './services.ts';
import {
  completeCronJob,
  completeDaemonSet,
  completeDeployment,
  completeJob,
  completePodTemplateObject,
  completeReplicaSet,
  completeReplicationController,
  completeStatefulSet,
} from './workloads.ts';

/** What kube-apiserver fills in for each built-in kind, by `group/version/Kind` (the core group is empty). */
const COMPLETIONS: Readonly<Record<string, Completion>> = {
  '/v1/Pod': completePod,
  '/v1/PodTemplate': completePodTemplateObject,
  '/v1/ReplicationController': completeReplicationController,
  '/v1/Service': completeService,
  '/v1/Endpoints': completeEndpoints,
  '/v1/Namespace': completeNamespace,
  '/v1/Node': completeNode,
  '/v1/PersistentVolume': completePersistentVolume,
  '/v1/PersistentVolumeClaim': completePersistentVolumeClaim,
  '/v1/LimitRange': completeLimitRange,
  '/v1/Secret': completeSecret,
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy': completePolicy,
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding': completePolicyBinding,
  'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration': completeMutatingWebhooks,
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy': completePolicy,
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding': completePolicyBinding,
  'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration': completeValidatingWebhooks,
  'apiregistration.k8s.io/v1/APIService': completeApiService,
  'apps/v1/Deployment': completeDeployment,
  'apps/v1/ReplicaSet': completeReplicaSet,
  'apps/v1/StatefulSet': completeStatefulSet,
  'apps/v1/DaemonSet': completeDaemonSet,
  'batch/v1/Job': completeJob,
  'batch/v1/CronJob': completeCronJob,
  'autoscaling/v1/HorizontalPodAutoscaler': completeAutoscalerV1,
  'autoscaling/v2/HorizontalPodAutoscaler': completeAutoscaler,
  'discovery.k8s.io/v1/EndpointSlice': completeEndpointSlice,
  'networking.k8s.io/v1/NetworkPolicy': completeNetworkPolicy,
  'rbac.authorization.k8s.io/v1/RoleBinding': completeBinding,
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': completeBinding,
  'scheduling.k8s.io/v1/PriorityClass': completePriorityClass,
  'storage.k8s.io/v1/StorageClass': completeStorageClass,
  'storage.k8s.io/v1/CSIDriver': completeCsiDriver,
};

const unchanged: Completion = (object) => object;

/** The completion of a built-in kind; kinds without defaults are returned as they are. */
export const completionOf = (group: string, version: string, kind: string): Completion =>
  COMPLETIONS[`${group}/${version}/${kind}`] ?? unchanged;
