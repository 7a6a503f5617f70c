import { asNumber, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { dns1123Label, pathSegmentName } from '../names.ts';
import { atMostAll, countOrPercent, nonNegative } from '../numbers.ts';
import { immutable } from '../object-meta.ts';
import { validateLabelSelector } from '../selectors.ts';
import type { Particulars } from './kind-rules.ts';

/** PriorityClasses, PodDisruptionBudgets, Leases, RuntimeClasses, HorizontalPodAutoscalers. */

const SYSTEM: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};
const HIGHEST = 1_000_000_000;

const systemComplaint = (name: string, value: number, globalDefault: boolean): string | undefined => {
  const own = SYSTEM[name];
  if (own === undefined) return `${name} is not a known system priority class`;
  if (own !== value) return `value of ${name} PriorityClass must be ${own}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
};

const validatePriority = (object: JsonObject): readonly FieldError[] => {
  const name = asString(asObject(object.metadata).name);
  const value = asNumber(object.value);
  const errors: FieldError[] = [];
  if (name.startsWith('system-')) {
    const complaint = systemComplaint(name, value, object.globalDefault === true);
    if (complaint !== undefined) {
      const words = `priority class names with 'system-' prefix are reserved for system use only. error: ${complaint}`;
      errors.push(field.forbidden('metadata.name', words));
    }
  } else if (value > HIGHEST) {
    errors.push(field.forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST}`));
  }
  const { preemptionPolicy: policy } = object;
  const policies = ['PreemptLowerPriority', 'Never'];
  if (policy === '') errors.push(field.required('preemptionPolicy'));
  else if (policy !== undefined && !policies.includes(asString(policy))) {
    errors.push(field.notSupported('preemptionPolicy', policy, policies));
  }
  return errors;
};

export const priorityClass: Particulars = {
  create: validatePriority,
  update: (object, old) => [
    ...(asNumber(object.value) === asNumber(old.value)
      ? []
      : [field.forbidden('value', 'may not be changed in an update.')]),
    ...immutable('preemptionPolicy', object.preemptionPolicy, old.preemptionPolicy),
  ],
};

export const podDisruptionBudget: Particulars = {
  create: (object) => {
    const spec = asObject(object.spec);
    const { minAvailable, maxUnavailable, unhealthyPodEvictionPolicy: policy } = spec;
    const policies = ['AlwaysAllow', 'IfHealthyBudget'];
    const count = (name: string, value: typeof minAvailable): readonly FieldError[] =>
      value === undefined ? [] : [...countOrPercent(`spec.${name}`, value), ...atMostAll(`spec.${name}`, value)];
    return [
      ...(minAvailable !== undefined && maxUnavailable !== undefined
        ? [field.invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set')]
        : []),
      ...count('minAvailable', minAvailable),
      ...count('maxUnavailable', maxUnavailable),
      ...validateLabelSelector('spec.selector', spec.selector),
      ...(policy === undefined || policies.includes(asString(policy))
        ? []
        : [field.notSupported('spec.unhealthyPodEvictionPolicy', policy, policies)]),
    ];
  },
};

export const lease: Particulars = {
  create: (object) => {
    const { leaseDurationSeconds: duration, leaseTransitions, preferredHolder, strategy } = asObject(object.spec);
    const holderPath = 'spec.preferredHolder';
    return [
      ...(duration !== undefined && asNumber(duration) <= 0
        ? [field.invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0')]
        : []),
      ...nonNegative('spec.leaseTransitions', leaseTransitions),
      ...(asString(preferredHolder) !== '' && asString(strategy) === ''
        ? [field.forbidden(holderPath, 'may only be specified if `strategy` is defined')]
        : []),
    ];
  },
};

export const runtimeClass: Particulars = {
  create: (object) => {
    const handler = asString(object.handler);
    return dns1123Label(handler).map((words) => field.invalid('handler', handler, words));
  },
  update: (object, old) => immutable('handler', object.handler, old.handler),
};

const validateTarget = (target: JsonObject): readonly FieldError[] => {
  const path = 'spec.scaleTargetRef';
  const version = asString(target.apiVersion);
  const errors = ['kind', 'name'].flatMap((part) => {
    const text = asString(target[part]);
    if (text === '') return [field.required(`${path}.${part}`)];
    return pathSegmentName(text).map((words) => field.invalid(`${path}.${part}`, text, words));
  });
  // The core group's version is only right for what has a scale there.
  if (version === '' || (version === 'v1' && target.kind !== 'ReplicationController')) {
    errors.push(field.invalid(`${path}.apiVersion`, version, 'apiVersion must specify API group'));
  }
  return errors;
};

const METRICS: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

const validateMetric = (path: string, metric: JsonObject): readonly FieldError[] => {
  const type = asString(metric.type);
  const own = METRICS[type];
  const errors: FieldError[] = [];
  if (type === '') errors.push(field.required(`${path}.type`, 'must specify a metric source type'));
  if (own === undefined) {
    errors.push(field.notSupported(`${path}.type`, type, Object.keys(METRICS)));
    return errors;
  }
  if (metric[own] === undefined) {
    errors.push(field.required(`${path}.${own}`, 'must populate information for the given metric source'));
  }
  if (type !== 'Resource' || metric.resource === undefined) return errors;
  const { name, target } = asObject(metric.resource);
  const { averageUtilization, averageValue } = asObject(target);
  const at = `${path}.resource.target`;
  if (asString(name) === '') errors.push(field.required(`${path}.resource.name`, 'must specify a resource name'));
  if (averageUtilization === undefined && averageValue === undefined) {
    const words = 'must set either a target raw value or a target utilization';
    errors.push(field.required(`${at}.averageUtilization`, words));
  }
  if (averageUtilization !== undefined && averageValue !== undefined) {
    const words = 'may not set both a target raw value and a target utilization';
    errors.push(field.forbidden(`${at}.averageValue`, words));
  }
  return errors;
};

export const autoscaler: Particulars = {
  create: (object) => {
    const spec = asObject(object.spec);
    const [low, high] = [spec.minReplicas, asNumber(spec.maxReplicas)];
    const metrics = asObjects(spec.metrics);
    const errors: FieldError[] = [];
    if (low !== undefined && asNumber(low) < 1) {
      errors.push(field.invalid('spec.minReplicas', low, 'must be greater than or equal to 1'));
    }
    if (high === 0) errors.push(field.required('spec.maxReplicas', 'must be set and greater than 0'));
    else if (high < 0) errors.push(field.invalid('spec.maxReplicas', high, 'must be greater than or equal to 1'));
    if (low !== undefined && high < asNumber(low)) {
      errors.push(field.invalid('spec.maxReplicas', high, 'must be greater than or equal to `minReplicas`'));
    }
    errors.push(...validateTarget(asObject(spec.scaleTargetRef)));
    errors.push(...metrics.flatMap((metric, at) => validateMetric(`spec.metrics[${at}]`, metric)));
    if (low === 0 && !metrics.some(({ type }) => type === 'Object' || type === 'External')) {
      const words = 'must specify at least one Object or External metric to support scaling to zero replicas';
      errors.push(field.forbidden('spec.metrics', words));
    }
    return errors;
  },
};
