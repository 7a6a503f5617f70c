import { compareQuantities, formatQuantity, parseQuantity } from '../../kube/quantity.ts';
import { asArray, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import type { AdmissionRequest, ObjectReader } from '../registry/admission-chain.ts';
import { qosClass } from '../registry/initial-status.ts';
import { quantityOf } from '../validation/resource-names.ts';
import { sumAmounts } from './pod-amounts.ts';
import { usageOf } from './quota-usage.ts';
import type { Refuse } from './refuse.ts';

/** ResourceQuotas: what a namespace may hold, counted anew with each write that adds to it. */

interface Scope {
  readonly name: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export const scopesOf = (quota: JsonObject): readonly Scope[] => {
  const spec = asObject(quota.spec);
  const plain = asArray(spec.scopes).map((name) => ({ name: asString(name), operator: 'Exists', values: [] }));
  const selected = asObjects(asObject(spec.scopeSelector).matchExpressions).map((scope) => ({
    name: asString(scope.scopeName),
    operator: asString(scope.operator),
    values: asArray(scope.values).map(asString),
  }));
  return [...plain, ...selected];
};

const matchesClass = (name: string, { operator, values }: Scope): boolean => {
  switch (operator) {
    case 'In':
      return values.includes(name);
    case 'NotIn':
      return !values.includes(name);
    case 'DoesNotExist':
      return name === '';
    default:
      return name !== '';
  }
};

const crossesNamespaces = (spec: JsonObject): boolean => {
  const { podAffinity, podAntiAffinity } = asObject(spec.affinity);
  return [podAffinity, podAntiAffinity]
    .flatMap((affinity) => [
      ...asObjects(asObject(affinity).requiredDuringSchedulingIgnoredDuringExecution),
      ...asObjects(asObject(affinity).preferredDuringSchedulingIgnoredDuringExecution).map(({ podAffinityTerm }) =>
        asObject(podAffinityTerm),
      ),
    ])
    .some(({ namespaces, namespaceSelector }) => asArray(namespaces).length > 0 || namespaceSelector !== undefined);
};

const matchesPod = (pod: JsonObject, scope: Scope): boolean => {
  const spec = asObject(pod.spec);
  switch (scope.name) {
    case 'Terminating':
      return spec.activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return spec.activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return qosClass(pod) === 'BestEffort';
    case 'NotBestEffort':
      return qosClass(pod) !== 'BestEffort';
    case 'PriorityClass':
      return matchesClass(asString(spec.priorityClassName), scope);
    case 'CrossNamespacePodAffinity':
      return crossesNamespaces(spec);
    default:
      return false;
  }
};

const matches = (collection: string, object: JsonObject, scope: Scope): boolean => {
  if (collection === 'pods') return matchesPod(object, scope);
  if (collection !== 'persistentvolumeclaims' || scope.name !== 'VolumeAttributesClass') return false;
  return matchesClass(asString(asObject(object.spec).volumeAttributesClassName), scope);
};

const REQUIRED = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

/** Quotas of compute resources ask that every container says how much it needs. */
const missingAmounts = (pod: JsonObject, hard: JsonObject): string | undefined => {
  const spec = asObject(pod.spec);
  if (Object.keys(asObject(spec.resources)).length > 0) return undefined;
  const containers = [...asObjects(spec.containers), ...asObjects(spec.initContainers)];
  const has = (container: JsonObject, name: string): boolean => {
    const [part, resource] = name.includes('.') ? name.split('.') : ['requests', name];
    return asObject(asObject(container.resources)[part ?? ''])[resource ?? ''] !== undefined;
  };
  const missing = REQUIRED.filter((name) => hard[name] !== undefined)
    .sort()
    .flatMap((name) => {
      const names = containers
        .filter((container) => !has(container, name))
        .map((container) => asString(container.name));
      return names.length === 0 ? [] : [`${name} for: ${[...new Set(names)].sort().join(',')}`];
    });
  return missing.length === 0 ? undefined : `must specify ${missing.join('; ')}`;
};

export const usedIn = (
  collection: string,
  namespace: string,
  objects: ObjectReader,
  scopes: readonly Scope[],
  except: string,
): JsonObject =>
  sumAmounts(
    ...objects
      .list(collection, namespace)
      .filter((object) => except === '' || asString(asObject(object.metadata).uid) !== except)
      .filter((object) => scopes.every((scope) => matches(collection, object, scope)))
      .map((object) => usageOf(collection, object)),
  );

const printed = (amounts: JsonObject, names: readonly string[]): string =>
  names.map((name) => `${name}=${formatQuantity(quantityOf(amounts[name] ?? '0'))}`).join(',');

/** Refuses what would exceed a quota of its namespace. */
export const checkQuotas = ({ object, old, objects, operation, request }: AdmissionRequest, refuse: Refuse): void => {
  const { collection } = request.resource;
  if (
    request.namespace === '' ||
    (operation === 'UPDATE' && collection !== 'persistentvolumeclaims' && collection !== 'services')
  )
    return;
  const usage = usageOf(collection, object);
  const before = old === undefined ? {} : usageOf(collection, old);
  for (const quota of objects.list('resourcequotas', request.namespace)) {
    const hard = asObject(asObject(quota.spec).hard);
    const scopes = scopesOf(quota);
    const names = Object.keys(hard).filter((name) => usage[name] !== undefined);
    if (!scopes.every((scope) => matches(collection, object, scope))) continue;
    const quotaName = asString(asObject(quota.metadata).name);
    const missing = collection === 'pods' ? missingAmounts(object, hard) : undefined;
    if (missing !== undefined) throw refuse(`failed quota: ${quotaName}: ${missing}`);
    if (names.length === 0) continue;
    const used = usedIn(collection, request.namespace, objects, scopes, asString(asObject(object.metadata).uid));
    const exceeded = names.sort().filter((name) => {
      const grows = compareQuantities(quantityOf(usage[name]), quantityOf(before[name] ?? '0')) > 0;
      const total = sumAmounts({ [name]: used[name] ?? '0' }, { [name]: usage[name] ?? '0' });
      return grows && compareQuantities(quantityOf(total[name]), quantityOf(hard[name])) > 0;
    });
    if (exceeded.length === 0) continue;
    const spent = sumAmounts(used, before);
    throw refuse(
      `exceeded quota: ${quotaName}, requested: ${printed(growth(usage, before), exceeded)}, used: ${printed(spent, exceeded)}, limited: ${printed(hard, exceeded)}`,
    );
  }
};

const growth = (usage: JsonObject, before: JsonObject): JsonObject => {
  const negated = Object.entries(before).map(([name, value]) => {
    const { unscaled, ...rest } = parseQuantity(asString(value));
    return [name, formatQuantity({ ...rest, unscaled: -unscaled })];
  });
  return sumAmounts(usage, Object.fromEntries(negated));
};
