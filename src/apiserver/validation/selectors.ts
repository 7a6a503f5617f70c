import { asArray, asObject, asObjects, asString } from '../json.ts';
import type { FieldError, Json, JsonObject } from '../kind.ts';
import * as field from './field-error.ts';
import { dns1123Subdomain, labelValue, qualifiedName } from './names.ts';
import { validateLabels } from './object-meta.ts';

const VALUES_NEEDED = "must be specified when `operator` is 'In' or 'NotIn'";
const VALUES_FORBIDDEN = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";

const validateKey = (path: string, key: string): readonly FieldError[] =>
  qualifiedName(key).map((words) => field.invalid(path, key, words));

const validateValues = (path: string, requirement: JsonObject): readonly FieldError[] =>
  asArray(requirement.values).flatMap((value, at) =>
    labelValue(asString(value)).map((words) => field.invalid(field.index(path, at), value, words)),
  );

const validateOperator = (path: string, requirement: JsonObject, numeric: boolean): readonly FieldError[] => {
  const { operator } = requirement;
  const count = asArray(requirement.values).length;
  const values = field.child(path, 'values');
  if (operator === 'In' || operator === 'NotIn') return count === 0 ? [field.required(values, VALUES_NEEDED)] : [];
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    return count > 0 ? [field.forbidden(values, VALUES_FORBIDDEN)] : [];
  }
  if (numeric && (operator === 'Gt' || operator === 'Lt')) {
    const words = "must be specified single value when `operator` is 'Lt' or 'Gt'";
    return count === 1 ? [] : [field.required(values, words)];
  }
  return [field.invalid(field.child(path, 'operator'), operator ?? '', 'not a valid selector operator')];
};

const validateRequirement = (path: string, requirement: JsonObject, numeric: boolean): readonly FieldError[] => [
  ...validateOperator(path, requirement, numeric),
  ...validateKey(field.child(path, 'key'), asString(requirement.key)),
  ...validateValues(field.child(path, 'values'), requirement),
];

/** A label selector in its object form; a missing one is valid. */
export const validateLabelSelector = (path: string, selector: Json | undefined): readonly FieldError[] => {
  const { matchLabels, matchExpressions } = asObject(selector);
  return [
    ...validateLabels(matchLabels, field.child(path, 'matchLabels')),
    ...asObjects(matchExpressions).flatMap((requirement, at) =>
      validateRequirement(field.index(field.child(path, 'matchExpressions'), at), requirement, false),
    ),
  ];
};

const validateFieldRequirement = (path: string, requirement: JsonObject): readonly FieldError[] => {
  const { operator, key } = requirement;
  const values = asArray(requirement.values);
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(field.invalid(field.child(path, 'operator'), operator ?? '', 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const words = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(field.required(field.child(path, 'values'), words));
  }
  if (key !== 'metadata.name') {
    errors.push(field.invalid(field.child(path, 'key'), key ?? '', 'not a valid field selector key'));
    return errors;
  }
  for (const [at, value] of values.entries()) {
    const valuePath = field.index(field.child(path, 'values'), at);
    for (const words of dns1123Subdomain(asString(value))) errors.push(field.invalid(valuePath, value, words));
  }
  return errors;
};

export const validateNodeSelectorTerm = (path: string, term: JsonObject): readonly FieldError[] => [
  ...asObjects(term.matchExpressions).flatMap((requirement, at) =>
    validateRequirement(field.index(field.child(path, 'matchExpressions'), at), requirement, true),
  ),
  ...asObjects(term.matchFields).flatMap((requirement, at) =>
    validateFieldRequirement(field.index(field.child(path, 'matchFields'), at), requirement),
  ),
];

/** A node selector of required terms, as in node affinity of pods and volumes. */
export const validateNodeSelector = (path: string, selector: JsonObject): readonly FieldError[] => {
  const terms = asObjects(selector.nodeSelectorTerms);
  const termsPath = field.child(path, 'nodeSelectorTerms');
  if (terms.length === 0) return [field.required(termsPath, 'must have at least one node selector term')];
  return terms.flatMap((term, at) => validateNodeSelectorTerm(field.index(termsPath, at), term));
};
