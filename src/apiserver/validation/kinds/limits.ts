import { jsonEqual } from '../../../kube/json-equal.ts';
import { compareQuantities, parseQuantity, quantityMilli } from '../../../kube/quantity.ts';
import { asArray, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { qualifiedName } from '../names.ts';
import {
  allowsOvercommit,
  COUNTED,
  differs,
  exceeds,
  printQuantity,
  quantityOf,
  validateAmount,
  validateContainerResourceName,
  validateQuotaResourceName,
  validateResourceName,
} from '../resource-names.ts';
import type { Particulars } from './kind-rules.ts';

/** LimitRanges and ResourceQuotas. */

const POD_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];
const ONE = parseQuantity('1');

const validateLimitName = (path: string, type: string, name: string): readonly FieldError[] => {
  if (type === 'Pod' || type === 'Container') return validateContainerResourceName(path, name);
  return validateResourceName(path, name);
};

/** A comparison of two bounds of one resource: in which field it is told, whose amount it shows, and what it says. */
interface Bound {
  readonly low: string;
  readonly high: string;
  readonly at: string;
  readonly shown: string;
  readonly words: readonly [low: string, high: string];
}

const BOUNDS: readonly Bound[] = [
  { low: 'min', high: 'max', at: 'min', shown: 'min', words: ['min value', 'max value'] },
  {
    low: 'min',
    high: 'defaultRequest',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['min value', 'default request value'],
  },
  {
    low: 'defaultRequest',
    high: 'max',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['default request value', 'max value'],
  },
  {
    low: 'defaultRequest',
    high: 'default',
    at: 'defaultRequest',
    shown: 'defaultRequest',
    words: ['default request value', 'default limit value'],
  },
  { low: 'min', high: 'default', at: 'default', shown: 'min', words: ['min value', 'default value'] },
  { low: 'default', high: 'max', at: 'default', shown: 'max', words: ['default value', 'max value'] },
];

const validateRatio = (path: string, ratio: Json, low: Json | undefined, high: Json | undefined) => {
  const errors: FieldError[] = [];
  const shown = printQuantity(ratio);
  if (compareQuantities(quantityOf(ratio), ONE) < 0) {
    errors.push(field.invalid(path, shown, `ratio ${shown} is less than 1`));
  }
  if (low === undefined || high === undefined) return errors;
  const most = quantityMilli(quantityOf(high)) / quantityMilli(quantityOf(low));
  if (quantityMilli(quantityOf(ratio)) / 1000 > most) {
    errors.push(field.invalid(path, shown, `ratio ${shown} is greater than max/min = ${most.toFixed(6)}`));
  }
  return errors;
};

const PARTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'];

const validateResource = (path: string, amounts: Readonly<Record<string, JsonObject>>, name: string) => {
  const of = (part: string): Json | undefined => amounts[part]?.[name];
  const at = (part: string): string => field.key(field.child(path, part), name);
  const errors: FieldError[] = [];
  for (const bound of BOUNDS) {
    const [low, high] = [of(bound.low), of(bound.high)];
    if (low === undefined || high === undefined || !exceeds(low, high)) continue;
    const words = `${bound.words[0]} ${printQuantity(low)} is greater than ${bound.words[1]} ${printQuantity(high)}`;
    errors.push(field.invalid(at(bound.at), printQuantity(of(bound.shown)), words));
  }
  const ratio = of('maxLimitRequestRatio');
  if (ratio !== undefined) errors.push(...validateRatio(at('maxLimitRequestRatio'), ratio, of('min'), of('max')));
  const [limit, request] = [of('default'), of('defaultRequest')];
  if (!allowsOvercommit(name) && limit !== undefined && request !== undefined && differs(limit, request)) {
    const words = `default value ${printQuantity(limit)} must equal to defaultRequest value ${printQuantity(request)} in ${name}`;
    errors.push(field.invalid(at('defaultRequest'), printQuantity(request), words));
  }
  return errors;
};

const validateLimit = (path: string, limit: JsonObject): readonly FieldError[] => {
  const type = asString(limit.type);
  const amounts = Object.fromEntries(PARTS.map((part) => [part, asObject(limit[part])]));
  const errors: FieldError[] = [];
  if (type === 'Pod') {
    for (const part of ['default', 'defaultRequest']) {
      if (Object.keys(amounts[part] ?? {}).length === 0) continue;
      errors.push(field.forbidden(field.child(path, part), "may not be specified when `type` is 'Pod'"));
      amounts[part] = {};
    }
  }
  for (const part of PARTS) {
    for (const name of Object.keys(amounts[part] ?? {})) {
      errors.push(...validateLimitName(field.key(field.child(path, part), name), type, name));
    }
  }
  if (type === 'PersistentVolumeClaim' && amounts.min?.storage === undefined && amounts.max?.storage === undefined) {
    const words = 'either minimum or maximum storage value is required, but neither was provided';
    errors.push(field.required(field.child(path, 'limits'), words));
  }
  const names = new Set(PARTS.flatMap((part) => Object.keys(amounts[part] ?? {})));
  return [...errors, ...[...names].flatMap((name) => validateResource(path, amounts, name))];
};

const LIMIT_TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];

const validateType = (path: string, type: string): readonly FieldError[] => {
  const errors = qualifiedName(type).map((words) => field.invalid(path, type, words));
  if (errors.length === 0 && !type.includes('/') && !LIMIT_TYPES.includes(type)) {
    errors.push(field.invalid(path, type, 'must be a standard limit type or fully qualified'));
  }
  return errors;
};

export const limitRange: Particulars = {
  create: (object) => {
    const seen = new Set<string>();
    return asObjects(asObject(object.spec).limits).flatMap((limit, position) => {
      const path = `spec.limits[${position}]`;
      const type = asString(limit.type);
      const repeated = seen.has(type) ? [field.duplicate(`${path}.type`, type)] : [];
      seen.add(type);
      return [...validateType(`${path}.type`, type), ...repeated, ...validateLimit(path, limit)];
    });
  },
};

const SCOPES = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
];
const CONFLICTS = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
];
const COMPUTE = [
  ...POD_RESOURCES,
  ...['requests', 'limits'].flatMap((part) => POD_RESOURCES.map((name) => `${part}.${name}`)),
];

/** Whether a scope can say anything about a resource. */
const scopeFits = (scope: string, name: string): boolean => {
  switch (scope) {
    case 'Terminating':
    case 'NotTerminating':
    case 'NotBestEffort':
    case 'PriorityClass':
    case 'CrossNamespacePodAffinity':
      return name === 'pods' || COMPUTE.includes(name);
    case 'BestEffort':
      return name === 'pods';
    default:
      return true;
  }
};

const STANDARD_QUOTA = [...COMPUTE, ...COUNTED, 'requests.storage'];

const validateScopes = (spec: JsonObject): readonly FieldError[] => {
  const path = 'spec.scopes';
  const scopes = asArray(spec.scopes).map(asString);
  const errors: FieldError[] = [];
  for (const scope of scopes) {
    if (!SCOPES.includes(scope)) errors.push(field.invalid(path, scopes, 'unsupported scope'));
    for (const name of Object.keys(asObject(spec.hard)).sort()) {
      if (SCOPES.includes(scope) && STANDARD_QUOTA.includes(name) && !scopeFits(scope, name)) {
        errors.push(field.invalid(path, scopes, 'unsupported scope applied to resource'));
      }
    }
  }
  for (const pair of CONFLICTS) {
    if (pair.every((scope) => scopes.includes(scope))) errors.push(field.invalid(path, scopes, 'conflicting scopes'));
  }
  return errors;
};

const validateQuota = (object: JsonObject): readonly FieldError[] => {
  const spec = asObject(object.spec);
  return [
    ...Object.entries(asObject(spec.hard)).flatMap(([name, amount]) => {
      const path = field.key('spec.hard', name);
      return [...validateQuotaResourceName(path, name), ...validateAmount(path, name, amount)];
    }),
    ...validateScopes(spec),
  ];
};

export const resourceQuota: Particulars = {
  create: validateQuota,
  update: (object, old) => {
    const [scopes, before] = [object, old].map((from) => [...asArray(asObject(from.spec).scopes).map(asString)].sort());
    const fixed = jsonEqual(scopes ?? [], before ?? [])
      ? []
      : [field.invalid('spec.scopes', asObject(object.spec).scopes ?? null, 'field is immutable')];
    return [...validateQuota(object), ...fixed];
  },
};
