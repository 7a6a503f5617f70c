import { asArray, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';

/** The status a new object starts with, by collection; whatever the client sent is dropped. */
const byCollection: Readonly<Record<string, JsonObject>> = {
  'apps/daemonsets': { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  'apps/deployments': {},
  'apps/replicasets': { replicas: 0 },
  'apps/statefulsets': { availableReplicas: 0, replicas: 0 },
  'autoscaling/horizontalpodautoscalers': { currentMetrics: null, desiredReplicas: 0 },
  'batch/cronjobs': {},
  'batch/jobs': {},
  'certificates.k8s.io/certificatesigningrequests': {},
  'flowcontrol.apiserver.k8s.io/flowschemas': {},
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': {},
  'networking.k8s.io/ingresses': { loadBalancer: {} },
  'networking.k8s.io/servicecidrs': {},
  'policy/poddisruptionbudgets': { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
  'resource.k8s.io/resourceclaims': {},
  namespaces: { phase: 'Active' },
  persistentvolumeclaims: { phase: 'Pending' },
  persistentvolumes: { phase: 'Pending' },
  replicationcontrollers: { replicas: 0 },
  resourcequotas: {},
  services: { loadBalancer: {} },
};

/** A new object of a collection with the status it starts with. Nodes bring their own. */
export function withInitialStatus(collection: string, object: JsonObject): JsonObject {
  if (collection === 'nodes') return object;
  if (collection === 'apiextensions.k8s.io/customresourcedefinitions') {
    const storage = asObjects(asObject(object.spec).versions).find((version) => version.storage === true);
    const storedVersions = storage === undefined ? [] : [asString(storage.name)];
    return { ...object, status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions } };
  }
  if (collection === 'pods') {
    return { ...object, status: { phase: 'Pending', qosClass: qosClass(object), ...gated(object) } };
  }
  const { status: _, ...rest } = object;
  const status = byCollection[collection];
  return status ? { ...rest, status } : rest;
}

function gated(pod: JsonObject): JsonObject {
  if (asArray(asObject(pod.spec).schedulingGates).length === 0) return {};
  return {
    conditions: [
      {
        type: 'PodScheduled',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: null,
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ],
  };
}

/** Guaranteed, Burstable or BestEffort (kubernetes' pkg/apis/core/v1/helper/qos). */
export function qosClass(pod: JsonObject): string {
  const spec = asObject(pod.spec);
  const whole = asObject(spec.resources);
  const containers =
    Object.keys(whole).length > 0 ? [spec] : [...asObjects(spec.containers), ...asObjects(spec.initContainers)];
  let any = false;
  let guaranteed = true;
  for (const container of containers) {
    const { requests, limits } = asObject(container.resources) as { requests?: JsonObject; limits?: JsonObject };
    for (const resource of ['cpu', 'memory']) {
      const request = asString(requests?.[resource]);
      const limit = asString(limits?.[resource]);
      if ((request && !isZero(request)) || (limit && !isZero(limit))) any = true;
      if (!limit || isZero(limit) || (request && request !== limit)) guaranteed = false;
    }
  }
  if (!any) return 'BestEffort';
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

const isZero = (quantity: string): boolean => /^[+-]?0+(\.0*)?\D*$/.test(quantity);
