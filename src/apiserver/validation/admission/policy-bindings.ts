import { asArray, asObject, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import type { Particulars } from '../kinds/kind-rules.ts';
import { dns1123Subdomain, pathSegmentName } from '../names.ts';
import { validateLabelSelector } from '../selectors.ts';
import { validateMutatingOperations } from './admission-policies.ts';
import { validateMatchResources } from './request-rules.ts';

/** ValidatingAdmissionPolicyBindings and MutatingAdmissionPolicyBindings. */

const ACTIONS = ['Audit', 'Deny', 'Warn'];
const NOT_FOUND_ACTIONS = ['Deny', 'Allow'];

const validateActions = (path: string, given: Json | undefined): readonly FieldError[] => {
  const actions = asArray(given).map(asString);
  const errors = actions.flatMap((action, at) => [
    ...(ACTIONS.includes(action) ? [] : [field.notSupported(field.index(path, at), action, ACTIONS)]),
    ...(actions.indexOf(action) < at ? [field.duplicate(field.index(path, at), action)] : []),
  ]);
  if (actions.includes('Deny') && actions.includes('Warn')) {
    const words =
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
    errors.push(field.invalid(path, actions, words));
  }
  return actions.length === 0
    ? [...errors, field.required(path, 'at least one validation action is required')]
    : errors;
};

const validateParamRef = (path: string, given: Json | undefined): readonly FieldError[] => {
  if (given === undefined) return [];
  const { name: givenName, selector, parameterNotFoundAction: action } = asObject(given);
  const name = asString(givenName);
  const at = (part: string): string => field.child(path, part);
  const exclusive = 'name and selector are mutually exclusive';
  const both = name !== '' && selector !== undefined;
  const missing = action === undefined || action === '';
  return [
    ...(name === '' ? [] : pathSegmentName(name).map((words) => field.invalid(at('name'), name, words))),
    ...(both ? [field.forbidden(at('name'), exclusive)] : []),
    ...(selector === undefined ? [] : validateLabelSelector(at('selector'), selector)),
    ...(both ? [field.forbidden(at('selector'), exclusive)] : []),
    ...(name === '' && selector === undefined
      ? [field.required(path, 'one of name or selector must be specified')]
      : []),
    ...(missing ? [field.required(at('parameterNotFoundAction'))] : []),
    ...(missing || NOT_FOUND_ACTIONS.includes(asString(action))
      ? []
      : [field.notSupported(at('parameterNotFoundAction'), action, NOT_FOUND_ACTIONS)]),
  ];
};

const validateBinding = (binding: JsonObject): readonly FieldError[] => {
  const spec = asObject(binding.spec);
  const policy = asString(spec.policyName);
  return [
    ...(policy === ''
      ? [field.required('spec.policyName')]
      : dns1123Subdomain(policy).map((words) => field.invalid('spec.policyName', policy, words))),
    ...validateParamRef('spec.paramRef', spec.paramRef),
    ...validateMatchResources('spec.matchResources', spec.matchResources),
  ];
};

export const validatingPolicyBinding: Particulars = {
  create: (binding) => [
    ...validateBinding(binding),
    ...validateActions('spec.validationActions', asObject(binding.spec).validationActions),
  ],
};

export const mutatingPolicyBinding: Particulars = {
  create: (binding) => [
    ...validateBinding(binding),
    ...validateMutatingOperations('spec.matchResources', asObject(binding.spec).matchResources),
  ],
};
