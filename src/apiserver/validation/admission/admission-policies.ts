import { jsonEqual } from '../../../kube/json-equal.ts';
import { asArray, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import type { ComposedExpressions, ExpressionChecker, ExpressionUse } from '../expression-checker.ts';
import * as field from '../field-error.ts';
import type { Particulars } from '../kinds/kind-rules.ts';
import { dns1035Label, dns1123Subdomain, qualifiedName } from '../names.ts';
import { oneOf } from '../numbers.ts';
import { validateMatchConditions } from './match-conditions.ts';
import { FAILURE_POLICIES, REINVOCATION_POLICIES, validateMatchResources } from './request-rules.ts';

/** ValidatingAdmissionPolicies and MutatingAdmissionPolicies. */

const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const MUTATING_OPERATIONS = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];
const MOST_ANNOTATIONS = 20;
const LONGEST_VALUE_EXPRESSION = 5 * 1024;
const RESERVED: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const isBlank = (value: Json | undefined): boolean => asString(value).trim() === '';

const validateParamKind = (path: string, given: Json | undefined): readonly FieldError[] => {
  if (given === undefined) return [];
  const [apiVersion, kind] = [asString(asObject(given).apiVersion), asString(asObject(given).kind)];
  const kindPath = field.child(path, 'kind');
  const kindErrors =
    kind === ''
      ? [field.required(kindPath)]
      : dns1035Label(kind.toLowerCase())
          .slice(0, 1)
          .map((words) => field.invalid(kindPath, kind, `may have mixed case, but should otherwise match: ${words}`));
  return [...validateApiVersion(field.child(path, 'apiVersion'), apiVersion), ...kindErrors];
};

const validateApiVersion = (path: string, apiVersion: string): readonly FieldError[] => {
  if (apiVersion === '') return [field.required(path)];
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/');
  if (parts.length > 2) return [field.invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const [group, version] = parts.length === 1 ? ['', parts[0] ?? ''] : [parts[0] ?? '', parts[1] ?? ''];
  const errors: FieldError[] = [];
  const groupErrors = group === '' ? [] : dns1123Subdomain(group);
  if (groupErrors.length > 0) errors.push(field.invalid(path, group, groupErrors.join(',')));
  if (version === '') return [...errors, field.invalid(path, apiVersion, 'version must be specified')];
  const versionErrors = dns1035Label(version);
  return versionErrors.length > 0 ? [...errors, field.invalid(path, version, versionErrors.join(','))] : errors;
};

const validateConstraints = (spec: JsonObject): readonly FieldError[] => {
  const path = 'spec.matchConstraints';
  if (spec.matchConstraints === undefined) return [field.required(path)];
  const rules = asArray(asObject(spec.matchConstraints).resourceRules);
  return [
    ...validateMatchResources(path, spec.matchConstraints),
    ...(rules.length === 0 ? [field.required(field.child(path, 'resourceRules'))] : []),
  ];
};

/** Only what is written can be changed. */
export const validateMutatingOperations = (path: string, resources: Json | undefined): readonly FieldError[] =>
  asObjects(asObject(resources).resourceRules)
    .flatMap(({ operations }) => asArray(operations))
    .filter((operation) => !MUTATING_OPERATIONS.includes(asString(operation)))
    .map((operation) => field.notSupported(`${path}.resourceRules.operations`, operation, MUTATING_OPERATIONS));

/** The value of `path` as an expression; `shown` is what a complaint quotes. */
const validateExpression = (
  path: string,
  expression: string,
  expressions: ComposedExpressions,
  use: ExpressionUse,
  shown = expression,
): readonly FieldError[] => {
  const fault = expressions.fault(expression, use);
  return fault === undefined ? [] : [field.invalid(path, shown, fault)];
};

const validateVariables = (spec: JsonObject, expressions: ComposedExpressions): readonly FieldError[] =>
  asObjects(spec.variables).flatMap((variable, at) => {
    const path = field.index('spec.variables', at);
    const [name, expression] = [asString(variable.name), asString(variable.expression)];
    const namePath = field.child(path, 'name');
    const expressionPath = field.child(path, 'expression');
    const errors: FieldError[] = [];
    if (isBlank(name)) errors.push(field.required(namePath, 'name is not specified'));
    else if (!/^[_a-zA-Z]\w*$/.test(name) || RESERVED.has(name)) {
      errors.push(field.invalid(namePath, name, 'must be a valid CEL identifier'));
    }
    if (isBlank(expression)) return [...errors, field.required(expressionPath, 'expression is not specified')];
    const fault = expressions.define(name, expression);
    return fault === undefined ? errors : [...errors, field.invalid(expressionPath, expression, fault)];
  });

const validateValidation = (
  path: string,
  validation: JsonObject,
  expressions: ComposedExpressions,
  params: boolean,
): readonly FieldError[] => {
  const at = (name: string): string => field.child(path, name);
  const [expression, message, messageExpression] = [
    asString(validation.expression),
    asString(validation.message),
    asString(validation.messageExpression),
  ];
  const errors: FieldError[] = [];
  if (isBlank(expression)) errors.push(field.required(at('expression'), 'expression is not specified'));
  else {
    const use = { returns: ['bool'], params, authorizer: true };
    errors.push(...validateExpression(at('expression'), expression, expressions, use));
  }
  if (messageExpression !== '' && isBlank(messageExpression)) {
    errors.push(field.invalid(at('messageExpression'), messageExpression, 'must be non-empty if specified'));
  } else if (messageExpression !== '') {
    const use = { returns: ['string'], params };
    errors.push(...validateExpression(at('messageExpression'), messageExpression, expressions, use));
  }
  if (message !== '' && isBlank(message)) {
    errors.push(field.invalid(at('message'), message, 'must be non-empty if specified'));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(field.invalid(at('message'), message, 'must not contain line breaks'));
  }
  if (validation.reason !== undefined && !REASONS.includes(asString(validation.reason))) {
    errors.push(field.notSupported(at('reason'), validation.reason, REASONS));
  }
  return errors;
};

const validateAnnotations = (
  policy: JsonObject,
  annotations: readonly JsonObject[],
  expressions: ComposedExpressions,
  params: boolean,
): readonly FieldError[] => {
  const name = asString(asObject(policy.metadata).name);
  const keys = annotations.map(({ key }) => asString(key));
  const path = 'spec.auditAnnotations';
  const many =
    annotations.length > MOST_ANNOTATIONS
      ? [field.invalid(path, annotations, `must not have more than ${MOST_ANNOTATIONS} auditAnnotations`)]
      : [];
  return [
    ...many,
    ...annotations.flatMap(({ valueExpression: given }, at) => {
      const here = field.index(path, at);
      const [keyPath, valuePath] = [field.child(here, 'key'), field.child(here, 'valueExpression')];
      const [key, expression] = [keys[at] ?? '', asString(given)];
      const trimmed = expression.trim();
      const keyErrors =
        name === ''
          ? [field.invalid(keyPath, key, 'requires metadata.name be non-empty')]
          : qualifiedName(`${name}/${key}`).map((words) => field.invalid(keyPath, `${name}/${key}`, words));
      const use = { returns: ['string', 'null'], params, authorizer: true };
      const valueErrors =
        trimmed === ''
          ? [field.required(valuePath, 'valueExpression is not specified')]
          : Buffer.byteLength(trimmed) > LONGEST_VALUE_EXPRESSION
            ? [field.required(valuePath, `must not exceed ${LONGEST_VALUE_EXPRESSION} bytes in length`)]
            : validateExpression(valuePath, trimmed, expressions, use, expression);
      return [...keyErrors, ...valueErrors, ...(keys.indexOf(key) < at ? [field.duplicate(keyPath, key)] : [])];
    }),
  ];
};

interface Checked {
  readonly policy: JsonObject;
  readonly old: JsonObject | undefined;
  readonly checker: ExpressionChecker;
}

/** Conditions that are as they were, under the same params, aren't looked at again. */
const conditionsOf = ({ policy, old, checker }: Checked): readonly FieldError[] => {
  const spec = asObject(policy.spec);
  const before = asObject(old?.spec);
  const same = ['paramKind', 'matchConditions'].every((name) => jsonEqual(spec[name] ?? null, before[name] ?? null));
  if (old !== undefined && same) return [];
  const params = spec.paramKind !== undefined;
  return validateMatchConditions('spec.matchConditions', spec.matchConditions, checker, params);
};

const validateValidating = (checked: Checked): readonly FieldError[] => {
  const { policy, checker } = checked;
  const spec = asObject(policy.spec);
  const params = spec.paramKind !== undefined;
  const expressions = checker.composed(params, asArray(spec.variables).length > 0);
  const [validations, annotations] = [asObjects(spec.validations), asObjects(spec.auditAnnotations)];
  const errors = [
    ...oneOf('spec.failurePolicy', spec.failurePolicy, FAILURE_POLICIES),
    ...validateParamKind('spec.paramKind', spec.paramKind),
    ...validateConstraints(spec),
    ...conditionsOf(checked),
    ...validateVariables(spec, expressions),
  ];
  if (validations.length === 0 && annotations.length === 0) {
    const words = 'validations or auditAnnotations must contain at least one item';
    return [...errors, field.required('spec.validations', words), field.required('spec.auditAnnotations', words)];
  }
  return [
    ...errors,
    ...validations.flatMap((validation, at) =>
      validateValidation(field.index('spec.validations', at), validation, expressions, params),
    ),
    ...validateAnnotations(policy, annotations, expressions, params),
  ];
};

const MUTATIONS = {
  JSONPatch: { name: 'jsonPatch', other: 'applyConfiguration', returns: ['list<JSONPatch>'] },
  ApplyConfiguration: { name: 'applyConfiguration', other: 'jsonPatch', returns: ['Object'] },
} as const;

const validateMutation = (
  path: string,
  mutation: JsonObject,
  expressions: ComposedExpressions,
  params: boolean,
): readonly FieldError[] => {
  const { patchType } = mutation;
  if (isBlank(patchType)) return [field.required(field.child(path, 'patchType'))];
  if (patchType !== 'JSONPatch' && patchType !== 'ApplyConfiguration') {
    return [field.notSupported(field.child(path, 'patchType'), patchType, PATCH_TYPES)];
  }
  const { name, other, returns } = MUTATIONS[patchType];
  const here = field.child(path, name);
  const errors: FieldError[] = [];
  if (mutation[name] === undefined) {
    errors.push(field.required(here, `must be specified when patchType is ${patchType}`));
  } else {
    const expression = asString(asObject(mutation[name]).expression).trim();
    const expressionPath = field.child(here, 'expression');
    const use = { returns, params, authorizer: true, patches: true };
    if (expression === '') errors.push(field.required(expressionPath));
    else errors.push(...validateExpression(expressionPath, expression, expressions, use));
  }
  if (mutation[other] !== undefined) {
    const words = `must not be specified when patchType is ${patchType}`;
    errors.push(field.invalid(field.child(path, other), `{${other}}`, words));
  }
  return errors;
};

const validateMutating = (checked: Checked): readonly FieldError[] => {
  const { policy, checker } = checked;
  const spec = asObject(policy.spec);
  const params = spec.paramKind !== undefined;
  const expressions = checker.composed(params, true);
  const mutations = asObjects(spec.mutations);
  return [
    ...oneOf('spec.failurePolicy', spec.failurePolicy, FAILURE_POLICIES),
    ...validateParamKind('spec.paramKind', spec.paramKind),
    ...validateConstraints(spec),
    ...validateMutatingOperations('spec.matchConstraints', spec.matchConstraints),
    ...conditionsOf(checked),
    ...validateVariables(spec, expressions),
    ...(mutations.length === 0 ? [field.required('spec.mutations', 'mutations must contain at least one item')] : []),
    ...mutations.flatMap((mutation, at) =>
      validateMutation(field.index('spec.mutations', at), mutation, expressions, params),
    ),
    ...oneOf('spec.reinvocationPolicy', spec.reinvocationPolicy, REINVOCATION_POLICIES),
  ];
};

const policyRules = (validate: (checked: Checked) => readonly FieldError[]): Particulars => ({
  expressions: (checker) => ({
    create: (policy) => validate({ policy, old: undefined, checker }),
    update: (policy, old) => validate({ policy, old, checker }),
  }),
});

export const validatingPolicy = policyRules(validateValidating);
export const mutatingPolicy = policyRules(validateMutating);
