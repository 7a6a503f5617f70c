import { asObject } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { apiVersionOf, type ResourceDefinition } from './resource-definition.ts';

type Convert = (object: JsonObject) => JsonObject;

/** Pairs of key names: in the storage version, and in the other one. */
const eventKeys: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

function renamed(object: JsonObject, from: 0 | 1): JsonObject {
  const names = new Map(eventKeys.map((pair) => [pair[from], pair[1 - from] as string]));
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [names.get(key) ?? key, value]));
}

/** The newer version leaves out what the older one writes empty. */
function eventFromCore(object: JsonObject): JsonObject {
  const { reportingController, reportingInstance, ...rest } = renamed(object, 0);
  return {
    ...rest,
    ...(reportingController ? { reportingController } : {}),
    ...(reportingInstance ? { reportingInstance } : {}),
  };
}

/** autoscaling/v1 knows one metric, the CPU's; the others travel in an annotation that nothing here reads. */
function scalerToV1(object: JsonObject): JsonObject {
  const { metrics, ...spec } = asObject(object.spec);
  const { currentMetrics, ...status } = asObject(object.status);
  const cpu = cpuTarget(metrics, 'target');
  const now = cpuTarget(currentMetrics, 'current');
  return {
    ...object,
    spec: { ...spec, ...(cpu === undefined ? {} : { targetCPUUtilizationPercentage: cpu }) },
    ...(object.status === undefined
      ? {}
      : { status: { ...status, ...(now === undefined ? {} : { currentCPUUtilizationPercentage: now }) } }),
  };
}

function cpuTarget(metrics: Json | undefined, key: string): Json | undefined {
  const list = Array.isArray(metrics) ? metrics : [];
  const metric = list.map(asObject).find((item) => item.type === 'Resource' && asObject(item.resource).name === 'cpu');
  return asObject(asObject(metric?.resource)[key]).averageUtilization;
}

function scalerFromV1(object: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: cpu, ...spec } = asObject(object.spec);
  if (cpu === undefined) return object;
  const target = { type: 'Utilization', averageUtilization: cpu };
  return { ...object, spec: { ...spec, metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }] } };
}

const conversions: Readonly<Record<string, { readonly to: Convert; readonly from: Convert }>> = {
  'events.k8s.io/v1 Event': { to: (object) => renamed(object, 1), from: eventFromCore },
  'autoscaling/v1 HorizontalPodAutoscaler': { to: scalerFromV1, from: scalerToV1 },
};

const isStorage = ({ group, version, storageVersion }: ResourceDefinition): boolean =>
  group === storageVersion.group && version === storageVersion.version;

/** An object of the resource's version as the store keeps it. */
export function toStorage(resource: ResourceDefinition, object: JsonObject): JsonObject {
  if (isStorage(resource)) return object;
  const convert = conversions[`${apiVersionOf(resource)} ${resource.kind}`]?.to;
  const converted = convert ? convert(object) : object;
  return { ...converted, apiVersion: apiVersionOf(resource.storageVersion) };
}

/** A stored object as the resource's version shows it; the same object if that is the storage version. */
export function fromStorage(resource: ResourceDefinition, object: JsonObject): JsonObject {
  if (isStorage(resource) && object.apiVersion === apiVersionOf(resource)) return object;
  const convert = isStorage(resource) ? undefined : conversions[`${apiVersionOf(resource)} ${resource.kind}`]?.from;
  const converted = convert ? convert(object) : object;
  return { ...converted, apiVersion: apiVersionOf(resource) };
}
