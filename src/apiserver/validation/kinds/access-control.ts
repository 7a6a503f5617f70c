import { jsonEqual } from '../../../kube/json-equal.ts';
import { asArray, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { goJson } from '../go-text.ts';
import { dns1123Subdomain, pathSegmentName } from '../names.ts';
import { validateLabelSelector } from '../selectors.ts';
import type { Particulars } from './kind-rules.ts';

/** rbac.authorization.k8s.io/v1 (pkg/apis/rbac/validation). */

const GROUP = 'rbac.authorization.k8s.io';

const validateRule = (path: string, rule: JsonObject, namespaced: boolean): readonly FieldError[] => {
  const [groups, resources, names, urls] = [
    asArray(rule.apiGroups),
    asArray(rule.resources),
    asArray(rule.resourceNames),
    asArray(rule.nonResourceURLs),
  ];
  const errors =
    asArray(rule.verbs).length === 0
      ? [field.required(field.child(path, 'verbs'), 'verbs must contain at least one value')]
      : [];
  const urlsPath = field.child(path, 'nonResourceURLs');
  if (urls.length > 0) {
    if (namespaced) errors.push(field.invalid(urlsPath, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (groups.length + resources.length + names.length > 0) {
      const words = 'rules cannot apply to both regular resources and non-resource URLs';
      errors.push(field.invalid(urlsPath, urls, words));
    }
    return errors;
  }
  if (groups.length === 0) {
    errors.push(field.required(field.child(path, 'apiGroups'), 'resource rules must supply at least one api group'));
  }
  if (resources.length === 0) {
    errors.push(field.required(field.child(path, 'resources'), 'resource rules must supply at least one resource'));
  }
  return errors;
};

const validateRules = (object: JsonObject, namespaced: boolean): readonly FieldError[] =>
  asObjects(object.rules).flatMap((rule, at) => validateRule(`rules[${at}]`, rule, namespaced));

const validateAggregation = (object: JsonObject): readonly FieldError[] => {
  if (object.aggregationRule === undefined) return [];
  const path = 'aggregationRule.clusterRoleSelectors';
  const selectors = asObjects(asObject(object.aggregationRule).clusterRoleSelectors);
  if (selectors.length === 0) {
    return [field.required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  }
  return selectors.flatMap((selector, at) => validateLabelSelector(field.index(path, at), selector));
};

export const role: Particulars = { name: pathSegmentName, create: (object) => validateRules(object, true) };

export const clusterRole: Particulars = {
  name: pathSegmentName,
  create: (object) => [...validateRules(object, false), ...validateAggregation(object)],
};

const validateRoleRef = (object: JsonObject, kinds: readonly string[]): readonly FieldError[] => {
  const { apiGroup, kind, name } = asObject(object.roleRef);
  const errors: FieldError[] = [];
  if (apiGroup !== GROUP) errors.push(field.notSupported('roleRef.apiGroup', asString(apiGroup), [GROUP]));
  if (!kinds.includes(asString(kind))) errors.push(field.notSupported('roleRef.kind', asString(kind), kinds));
  if (asString(name) === '') errors.push(field.required('roleRef.name'));
  errors.push(...pathSegmentName(asString(name)).map((words) => field.invalid('roleRef.name', asString(name), words)));
  return errors;
};

const validateSubject = (path: string, subject: JsonObject, namespaced: boolean): readonly FieldError[] => {
  const [kind, name, group] = [asString(subject.kind), asString(subject.name), asString(subject.apiGroup)];
  const errors = name === '' ? [field.required(field.child(path, 'name'))] : [];
  const groupPath = field.child(path, 'apiGroup');
  if (kind === 'ServiceAccount') {
    if (name !== '') {
      errors.push(...dns1123Subdomain(name).map((words) => field.invalid(field.child(path, 'name'), name, words)));
    }
    if (group !== '') errors.push(field.notSupported(groupPath, group, ['']));
    if (!namespaced && asString(subject.namespace) === '') errors.push(field.required(field.child(path, 'namespace')));
    return errors;
  }
  if (kind === 'User' || kind === 'Group') {
    return group === GROUP ? errors : [...errors, field.notSupported(groupPath, group, [GROUP])];
  }
  return [...errors, field.notSupported(field.child(path, 'kind'), kind, ['ServiceAccount', 'User', 'Group'])];
};

const binding = (kinds: readonly string[], namespaced: boolean): Particulars => {
  const create = (object: JsonObject): readonly FieldError[] => [
    ...validateRoleRef(object, kinds),
    ...asObjects(object.subjects).flatMap((subject, at) => validateSubject(`subjects[${at}]`, subject, namespaced)),
  ];
  const keepsRole = (object: JsonObject, old: JsonObject): readonly FieldError[] => {
    if (jsonEqual(asObject(object.roleRef), asObject(old.roleRef))) return [];
    const { apiGroup, kind, name } = asObject(object.roleRef);
    const [group, own, called] = [apiGroup, kind, name].map((part) => goJson(part ?? ''));
    const shown = new field.Verbatim(`{"APIGroup":${group},"Kind":${own},"Name":${called}}`);
    return [field.invalid('roleRef', shown, 'cannot change roleRef')];
  };
  return {
    name: pathSegmentName,
    create,
    update: (object, old) => [...create(object), ...keepsRole(object, old)],
  };
};

export const roleBinding = binding(['Role', 'ClusterRole'], true);
export const clusterRoleBinding = binding(['ClusterRole'], false);
