import { mutatingPolicy, validatingPolicy } from '../admission/admission-policies.ts';
import { mutatingPolicyBinding, validatingPolicyBinding } from '../admission/policy-bindings.ts';
import { webhookConfiguration } from '../admission/webhook-configurations.ts';
import { validatePod, validatePodUpdate } from '../pods/pod.ts';
import { validateEphemeralContainers, validatePodStatus, validateResize } from '../pods/pod-subresources.ts';
import { podWarnings } from '../pods/pod-warnings.ts';
import { clusterRole, clusterRoleBinding, role, roleBinding } from './access-control.ts';
import { apiService } from './api-services.ts';
import { certificateSigningRequest } from './certificate-signing-requests.ts';
import { configMap, namespace, secret } from './configuration.ts';
import { deviceClass } from './device-selectors.ts';
import { coreEvent, event } from './events.ts';
import { cronJob, job } from './jobs.ts';
import type { Particulars } from './kind-rules.ts';
import { limitRange, resourceQuota } from './limits.ts';
import { endpointSlice, ingress, ingressClass, networkPolicy } from './networking.ts';
import { node } from './nodes.ts';
import { autoscaler, lease, podDisruptionBudget, priorityClass, runtimeClass } from './policies.ts';
import { resourceClaim, resourceClaimTemplate } from './resource-claims.ts';
import { service } from './services.ts';
import { csiDriver, csiNode, storageClass } from './storage.ts';
import { persistentVolume, persistentVolumeClaim } from './volumes.ts';
import {
  controllerRevision,
  daemonSet,
  deployment,
  podTemplate,
  replicaSet,
  replicationController,
  statefulSet,
} from './workloads.ts';

const pod: Particulars = {
  create: validatePod,
  update: validatePodUpdate,
  status: validatePodStatus,
  parts: { ephemeralcontainers: validateEphemeralContainers, resize: validateResize },
  warnings: (object) => podWarnings('', object),
};

/** What is particular about validating each built-in kind, by `group/version/Kind` (the core group is empty). */
const PARTICULARS: Readonly<Record<string, Particulars>> = {
  '/v1/ConfigMap': configMap,
  '/v1/Event': coreEvent,
  '/v1/LimitRange': limitRange,
  '/v1/Namespace': namespace,
  '/v1/Node': node,
  '/v1/PersistentVolume': persistentVolume,
  '/v1/PersistentVolumeClaim': persistentVolumeClaim,
  '/v1/Pod': pod,
  '/v1/PodTemplate': podTemplate,
  '/v1/ReplicationController': replicationController,
  '/v1/ResourceQuota': resourceQuota,
  '/v1/Secret': secret,
  '/v1/Service': service,
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicy': mutatingPolicy,
  'admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding': mutatingPolicyBinding,
  'admissionregistration.k8s.io/v1/MutatingWebhookConfiguration': webhookConfiguration,
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy': validatingPolicy,
  'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding': validatingPolicyBinding,
  'admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration': webhookConfiguration,
  'apiregistration.k8s.io/v1/APIService': apiService,
  'apps/v1/ControllerRevision': controllerRevision,
  'apps/v1/DaemonSet': daemonSet,
  'apps/v1/Deployment': deployment,
  'apps/v1/ReplicaSet': replicaSet,
  'apps/v1/StatefulSet': statefulSet,
  'autoscaling/v1/HorizontalPodAutoscaler': autoscaler,
  'autoscaling/v2/HorizontalPodAutoscaler': autoscaler,
  'batch/v1/CronJob': cronJob,
  'batch/v1/Job': job,
  'certificates.k8s.io/v1/CertificateSigningRequest': certificateSigningRequest,
  'coordination.k8s.io/v1/Lease': lease,
  'discovery.k8s.io/v1/EndpointSlice': endpointSlice,
  'events.k8s.io/v1/Event': event,
  'networking.k8s.io/v1/Ingress': ingress,
  'networking.k8s.io/v1/IngressClass': ingressClass,
  'networking.k8s.io/v1/NetworkPolicy': networkPolicy,
  'node.k8s.io/v1/RuntimeClass': runtimeClass,
  'policy/v1/PodDisruptionBudget': podDisruptionBudget,
  'rbac.authorization.k8s.io/v1/ClusterRole': clusterRole,
  'rbac.authorization.k8s.io/v1/ClusterRoleBinding': clusterRoleBinding,
  'rbac.authorization.k8s.io/v1/Role': role,
  'rbac.authorization.k8s.io/v1/RoleBinding': roleBinding,
  'resource.k8s.io/v1/DeviceClass': deviceClass,
  'resource.k8s.io/v1/ResourceClaim': resourceClaim,
  'resource.k8s.io/v1/ResourceClaimTemplate': resourceClaimTemplate,
  'scheduling.k8s.io/v1/PriorityClass': priorityClass,
  'storage.k8s.io/v1/CSIDriver': csiDriver,
  'storage.k8s.io/v1/CSINode': csiNode,
  'storage.k8s.io/v1/StorageClass': storageClass,
};

const NOTHING: Particulars = {};

export const particularsOf = (group: string, version: string, kind: string): Particulars =>
  PARTICULARS[`${group}/${version}/${kind}`] ?? NOTHING;
