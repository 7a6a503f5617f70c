import { asArray, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { pathSegmentName } from '../names.ts';
import { oneOf } from '../numbers.ts';
import { validateLabelSelector } from '../selectors.ts';

/** Rules that say which requests webhooks and policies are about (admissionregistration/validation). */

const OPERATIONS = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = ['*', 'Cluster', 'Namespaced'];
export const FAILURE_POLICIES = ['Fail', 'Ignore'];
export const MATCH_POLICIES = ['Equivalent', 'Exact'];
export const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];

const mixed = (list: readonly Json[]): boolean => list.length > 1 && list.includes('*');

const validateResources = (path: string, given: Json | undefined): readonly FieldError[] => {
  const resources = asArray(given).map(asString);
  const errors: FieldError[] = resources.length === 0 ? [field.required(path)] : [];
  const allParts = new Set<string>();
  const allResources = new Set<string>();
  let plain = false;
  for (const [at, item] of resources.entries()) {
    const here = field.index(path, at);
    if (item === '') {
      errors.push(field.required(here));
      continue;
    }
    const slash = item.indexOf('/');
    if (slash < 0) {
      plain = item !== '*';
      continue;
    }
    const [resource, part] = [item.slice(0, slash), item.slice(slash + 1)];
    if (allParts.has(resource)) {
      errors.push(field.invalid(here, item, `if '${resource}/*' is present, must not specify ${item}`));
    }
    if (allResources.has(part)) {
      errors.push(field.invalid(here, item, `if '*/${part}' is present, must not specify ${item}`));
    }
    if (part === '*') allParts.add(resource);
    if (resource === '*') allResources.add(part);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(field.invalid(path, resources, "if '*/*' is present, must not specify other resources"));
  }
  if (resources.includes('*') && plain) {
    const words = "if '*' is present, must not specify other resources without subresources";
    errors.push(field.invalid(path, resources, words));
  }
  return errors;
};

const validateList = (path: string, list: readonly Json[], what: string): readonly FieldError[] => [
  ...(list.length === 0 ? [field.required(path)] : []),
  ...(mixed(list) ? [field.invalid(path, list, `if '*' is present, must not specify other ${what}`)] : []),
];

export const validateRule = (path: string, rule: JsonObject): readonly FieldError[] => {
  const at = (name: string): string => field.child(path, name);
  const [operations, groups, versions] = [rule.operations, rule.apiGroups, rule.apiVersions].map(asArray);
  return [
    ...validateList(at('operations'), operations ?? [], 'operations'),
    ...(operations ?? []).flatMap((one, index) => oneOf(field.index(at('operations'), index), one, OPERATIONS)),
    ...validateList(at('apiGroups'), groups ?? [], 'API groups'),
    ...validateList(at('apiVersions'), versions ?? [], 'API versions'),
    ...(versions ?? []).flatMap((one, index) =>
      one === '' ? [field.required(field.index(at('apiVersions'), index))] : [],
    ),
    ...validateResources(at('resources'), rule.resources),
    ...(rule.scope === undefined || SCOPES.includes(asString(rule.scope))
      ? []
      : [field.notSupported(at('scope'), rule.scope, SCOPES)]),
  ];
};

const validateNamedRule = (path: string, rule: JsonObject): readonly FieldError[] => {
  const names = asArray(rule.resourceNames).map(asString);
  const namesPath = field.child(path, 'resourceNames');
  return [
    ...names.flatMap((name, at) => [
      ...pathSegmentName(name).map((words) => field.invalid(field.index(namesPath, at), name, words)),
      ...(names.indexOf(name) < at ? [field.duplicate(field.index(namesPath, at), name)] : []),
    ]),
    ...validateRule(path, rule),
  ];
};

/** `matchConstraints` of a policy, or `matchResources` of a binding; a missing one is valid. */
export const validateMatchResources = (path: string, given: Json | undefined): readonly FieldError[] => {
  if (given === undefined) return [];
  const resources = asObject(given);
  const rules = (name: string): readonly FieldError[] =>
    asObjects(resources[name]).flatMap((rule, at) => validateNamedRule(field.index(field.child(path, name), at), rule));
  return [
    ...(MATCH_POLICIES.includes(asString(resources.matchPolicy))
      ? []
      : [field.notSupported(field.child(path, 'matchPolicy'), resources.matchPolicy, MATCH_POLICIES)]),
    ...validateLabelSelector(field.child(path, 'namespaceSelector'), resources.namespaceSelector),
    ...validateLabelSelector(field.child(path, 'objectSelector'), resources.objectSelector),
    ...rules('resourceRules'),
    ...rules('excludeResourceRules'),
  ];
};
