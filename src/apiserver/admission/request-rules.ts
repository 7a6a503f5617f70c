import type { LabelSelector } from '../../kube/objects.ts';
import { selects } from '../../kube/selectors.ts';
import { notFound } from '../api-refusals.ts';
import { asArray, asObject, asObjects, asString } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { labelsOf } from '../object-meta.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import { type AdmissionAttributes, serves } from './admission-attributes.ts';

/** Which requests webhooks and policies are about (apiserver admission/plugin/webhook/predicates, policy/matching). */

const has = (list: Json | undefined, value: string): boolean => {
  const values = asArray(list);
  return values.includes('*') || values.includes(value);
};

const inScope = (scope: string, { resource, namespace }: AdmissionAttributes): boolean => {
  const isNamespace = resource.collection === 'namespaces';
  if (scope === 'Namespaced') return !isNamespace && namespace !== '';
  return scope !== 'Cluster' || isNamespace || namespace === '';
};

const namesResource = (rule: JsonObject, plural: string, subresource: string): boolean =>
  asArray(rule.resources).some((item) => {
    const [resource = '', part = ''] = asString(item).split(/\/(.*)/s);
    return (resource === '*' || resource === plural) && (part === '*' || part === subresource);
  });

const matchesRule = (rule: JsonObject, attributes: AdmissionAttributes, resource: ResourceDefinition): boolean => {
  const names = asArray(rule.resourceNames);
  return (
    inScope(asString(rule.scope) || '*', attributes) &&
    has(rule.operations, attributes.operation) &&
    has(rule.apiGroups, resource.group) &&
    has(rule.apiVersions, resource.version) &&
    namesResource(rule, resource.plural, attributes.subresource) &&
    (names.length === 0 || names.includes(attributes.name))
  );
};

/** Finds the other versions in which a resource is served. */
export type VersionsOf = (resource: ResourceDefinition) => readonly ResourceDefinition[];

/** The version of the request's resource that a rule is about: its own if one is, else an equivalent one. */
export const matchedResource = (
  rules: Json | undefined,
  matchPolicy: Json | undefined,
  attributes: AdmissionAttributes,
  versionsOf: VersionsOf,
): ResourceDefinition | undefined => {
  const list = asObjects(rules);
  const { resource, subresource } = attributes;
  if (list.some((rule) => matchesRule(rule, attributes, resource))) return resource;
  if (matchPolicy !== 'Equivalent') return undefined;
  const others = versionsOf(resource).filter((other) => other !== resource && serves(other, subresource));
  for (const rule of list) {
    const found = others.find((other) => matchesRule(rule, attributes, other));
    if (found !== undefined) return found;
  }
  return undefined;
};

const isEmpty = (selector: JsonObject): boolean =>
  Object.keys(asObject(selector.matchLabels)).length === 0 && asArray(selector.matchExpressions).length === 0;

/** The labels of the namespace that a request is in; a namespace that is being written has those it is to have. */
const namespaceLabels = (attributes: AdmissionAttributes): Readonly<Record<string, string>> => {
  const { resource, subresource, operation, object, namespace, objects } = attributes;
  const writesNamespace = resource.collection === 'namespaces' && subresource === '';
  if (writesNamespace && object !== undefined && operation !== 'DELETE') return labelsOf(object);
  const found = objects.get('namespaces', '', namespace);
  if (found === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  return labelsOf(found);
};

/** Whether the namespace of a request is selected. @throws ApiError 404 where it is gone. */
export const selectsNamespace = (selector: Json | undefined, attributes: AdmissionAttributes): boolean => {
  const given = asObject(selector);
  if (isEmpty(given) || (attributes.namespace === '' && attributes.resource.collection !== 'namespaces')) return true;
  return selects(given as LabelSelector, namespaceLabels(attributes));
};

/** Whether the object of a request, as it is or as it was, is selected. */
export const selectsObject = (selector: Json | undefined, { object, old }: AdmissionAttributes): boolean => {
  const given = asObject(selector);
  if (isEmpty(given)) return true;
  return [object, old].some((one) => one !== undefined && selects(given as LabelSelector, labelsOf(one)));
};

const CONFIGURATIONS: ReadonlySet<string> = new Set(
  ['webhookconfigurations', 'admissionpolicies', 'admissionpolicybindings'].flatMap((plural) =>
    ['mutating', 'validating'].map((prefix) => `admissionregistration.k8s.io/${prefix}${plural}`),
  ),
);

/** What configures admission isn't subject to what it configures, so that mistakes can be mended. */
export const isExempt = ({ resource }: AdmissionAttributes): boolean => CONFIGURATIONS.has(resource.collection);

/** Whether `matchConstraints` of a policy, or `matchResources` of a binding, are about a request, and in which version. */
export const matchResources = (
  constraints: JsonObject,
  attributes: AdmissionAttributes,
  versionsOf: VersionsOf,
): ResourceDefinition | undefined => {
  const { matchPolicy, resourceRules, excludeResourceRules } = constraints;
  if (!selectsObject(constraints.objectSelector, attributes)) return undefined;
  if (matchedResource(excludeResourceRules, matchPolicy, attributes, versionsOf)) return undefined;
  const everything = asArray(resourceRules).length === 0;
  const matched = everything
    ? attributes.resource
    : matchedResource(resourceRules, matchPolicy, attributes, versionsOf);
  return matched && selectsNamespace(constraints.namespaceSelector, attributes) ? matched : undefined;
};
