import { asObject, asObjects, asString } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { isExtended, isHugePages } from '../validation/resource-names.ts';
import { podAmounts } from './pod-amounts.ts';

/** What one object takes of each resource that a quota can limit (pkg/quota/v1/evaluator/core). */

const COUNTED_BY_NAME = new Set([
  'configmaps',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'services',
]);

const COMPUTE = ['cpu', 'memory', 'ephemeral-storage'];

const isOver = (pod: JsonObject): boolean => ['Failed', 'Succeeded'].includes(asString(asObject(pod.status).phase));

const podUsage = (pod: JsonObject): JsonObject => {
  if (isOver(pod)) return {};
  const spec = asObject(pod.spec);
  const [requests, limits] = [podAmounts(spec, 'requests'), podAmounts(spec, 'limits')];
  const usage: Record<string, Json> = { pods: '1' };
  for (const [name, amount] of Object.entries(requests)) {
    if (COMPUTE.includes(name) || isHugePages(name)) usage[name] = amount ?? '0';
    if (COMPUTE.includes(name) || isHugePages(name) || isExtended(name)) usage[`requests.${name}`] = amount ?? '0';
  }
  for (const [name, amount] of Object.entries(limits)) {
    if (COMPUTE.includes(name)) usage[`limits.${name}`] = amount ?? '0';
  }
  return usage;
};

const claimUsage = (claim: JsonObject): JsonObject => {
  const spec = asObject(claim.spec);
  const { storage } = asObject(asObject(spec.resources).requests);
  const ofClass = `${asString(spec.storageClassName)}.storageclass.storage.k8s.io`;
  const classed = asString(spec.storageClassName) !== '';
  return {
    ...(classed ? { [`${ofClass}/persistentvolumeclaims`]: '1' } : {}),
    ...(storage === undefined ? {} : { 'requests.storage': storage }),
    ...(storage === undefined || !classed ? {} : { [`${ofClass}/requests.storage`]: storage }),
  };
};

const serviceUsage = (service: JsonObject): JsonObject => {
  const spec = asObject(service.spec);
  const ports = asObjects(spec.ports);
  if (spec.type === 'NodePort') return { 'services.nodeports': String(ports.length) };
  if (spec.type !== 'LoadBalancer') return {};
  const open = spec.allocateLoadBalancerNodePorts === false ? ports.filter(({ nodePort }) => nodePort) : ports;
  return { 'services.loadbalancers': '1', 'services.nodeports': String(open.length) };
};

const OWN: Readonly<Record<string, (object: JsonObject) => JsonObject>> = {
  pods: podUsage,
  persistentvolumeclaims: claimUsage,
  services: serviceUsage,
};

export const usageOf = (collection: string, object: JsonObject): JsonObject => {
  const [group, plural] = collection.includes('/') ? collection.split('/') : ['', collection];
  const counted = group === '' ? plural : `${plural}.${group}`;
  return {
    [`count/${counted}`]: '1',
    ...(COUNTED_BY_NAME.has(collection) ? { [collection]: '1' } : {}),
    ...OWN[collection]?.(object),
  };
};
