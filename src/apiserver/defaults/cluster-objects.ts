import { asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { type Completion, chain, each, fill, within, withinPresent } from './fill.ts';
import { completeResourceList } from './resource-list.ts';

/** Namespaces, nodes, volumes and the like (core/v1, storage/v1, scheduling/v1, autoscaling). */

export const completeNamespace: Completion = (namespace) => {
  const name = asString(asObject(namespace.metadata).name);
  if (name === '') return namespace;
  return within(namespace, 'metadata', (meta) =>
    within(meta, 'labels', (labels) => ({ ...labels, 'kubernetes.io/metadata.name': name })),
  );
};

const nodeSpec: Completion = ({ configSource: _gone, ...spec }) => {
  const own = asString(spec.podCIDR);
  if (own !== '' && spec.podCIDRs === undefined) return { ...spec, podCIDRs: [own] };
  const [first] = Array.isArray(spec.podCIDRs) ? spec.podCIDRs : [];
  return own === '' && first !== undefined ? { ...spec, podCIDR: first } : spec;
};

/** What a node has to give is what it has, unless it says so itself. */
export const completeNode: Completion = (node) =>
  within(within(node, 'spec', nodeSpec), 'status', (status) => {
    const capacity = asObject(status.capacity);
    const rounded = ['capacity', 'allocatable'].reduce(
      (done, name) => withinPresent(done, name, completeResourceList),
      status,
    );
    if (Object.keys(capacity).length === 0) return rounded;
    return fill(rounded, { allocatable: asObject(rounded.capacity) });
  });

const claimSpec: Completion = (spec) =>
  withinPresent(fill(spec, { volumeMode: 'Filesystem' }), 'resources', (resources) =>
    withinPresent(resources, 'requests', completeResourceList),
  );

export const completePersistentVolumeClaim: Completion = (claim) =>
  within(within(claim, 'spec', claimSpec), 'status', (status) => fill(status, { phase: 'Pending' }));

export const completePersistentVolume: Completion = (volume) => {
  const specified = within(volume, 'spec', (spec) => {
    const filled = fill(spec, { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' });
    return withinPresent(filled, 'hostPath', (source) => fill(source, { type: '' }));
  });
  return within(specified, 'status', (status) => fill(status, { phase: 'Pending' }));
};

export const completeStorageClass: Completion = (object) =>
  fill(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });

export const completeCsiDriver: Completion = (driver) =>
  within(driver, 'spec', (spec) =>
    fill(spec, {
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ['Persistent'],
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      requiresRepublish: false,
      seLinuxMount: false,
    }),
  );

export const completePriorityClass: Completion = (object) => fill(object, { preemptionPolicy: 'PreemptLowerPriority' });

export const completeApiService: Completion = (object) =>
  within(object, 'spec', (spec) => withinPresent(spec, 'service', (service) => fill(service, { port: 443 })));

/** For containers, the most is the default, and the default is what is asked for. */
const limit: Completion = (item) => {
  if (item.type !== 'Container') return item;
  const defaults = fill(asObject(item.default), asObject(item.max));
  const requests = fill(fill(asObject(item.defaultRequest), defaults), asObject(item.min));
  const kept = (name: string, list: JsonObject): JsonObject => (Object.keys(list).length > 0 ? { [name]: list } : {});
  return { ...item, ...kept('default', defaults), ...kept('defaultRequest', requests) };
};

export const completeLimitRange: Completion = (range) => within(range, 'spec', (spec) => each(spec, 'limits', limit));

/** `stringData` becomes data. */
export const completeSecret: Completion = (secret) => {
  const typed = fill(secret, { type: 'Opaque' });
  const { stringData, ...rest } = typed;
  if (stringData === undefined) return typed;
  const encoded = Object.entries(asObject(stringData)).map(
    ([name, text]) => [name, Buffer.from(asString(text)).toString('base64')] as const,
  );
  return { ...rest, data: { ...asObject(rest.data), ...Object.fromEntries(encoded) } };
};

const CPU_TARGET: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

const scaleUpDefaults: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const scaleDownDefaults: JsonObject = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

const behavior: Completion = chain(
  (object) => within(object, 'scaleUp', (rules) => fill(rules, scaleUpDefaults)),
  (object) => within(object, 'scaleDown', (rules) => fill(rules, scaleDownDefaults)),
);

export const completeAutoscaler: Completion = (autoscaler) =>
  within(autoscaler, 'spec', (spec) => {
    const metrics = asObjects(spec.metrics).length === 0 ? { metrics: [CPU_TARGET] } : {};
    return withinPresent(fill(spec, { minReplicas: 1, ...metrics }), 'behavior', behavior);
  });

export const completeAutoscalerV1: Completion = (autoscaler) =>
  within(autoscaler, 'spec', (spec) => fill(spec, { minReplicas: 1 }));
