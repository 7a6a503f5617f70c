import { asArray, asNumber, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { dns1123Label, labelValue, qualifiedName } from '../names.ts';
import { validateLabelSelector, validateNodeSelector, validateNodeSelectorTerm } from '../selectors.ts';
import { validateMatchLabelKeys } from './match-label-keys.ts';

/** Where a pod may go: affinity, tolerations, spreading. */

const labelKey = (path: string, key: string): readonly FieldError[] =>
  qualifiedName(key).map((words) => field.invalid(path, key, words));

const WEIGHT_WORDS = 'must be in the range 1-100';

const validateWeight = (path: string, term: JsonObject): readonly FieldError[] => {
  const weight = asNumber(term.weight);
  return weight >= 1 && weight <= 100 ? [] : [field.invalid(field.child(path, 'weight'), weight, WEIGHT_WORDS)];
};

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

const validateNodeAffinity = (path: string, affinity: JsonObject): readonly FieldError[] => {
  const { [REQUIRED]: required, [PREFERRED]: preferred } = affinity;
  return [
    ...(required === undefined ? [] : validateNodeSelector(field.child(path, REQUIRED), asObject(required))),
    ...asObjects(preferred).flatMap((term, position) => {
      const at = field.index(field.child(path, PREFERRED), position);
      return [
        ...validateWeight(at, term),
        ...validateNodeSelectorTerm(field.child(at, 'preference'), asObject(term.preference)),
      ];
    }),
  ];
};

const validatePodTerm = (path: string, term: JsonObject): readonly FieldError[] => {
  const topologyKey = asString(term.topologyKey);
  const at = field.child(path, 'topologyKey');
  return [
    ...validateLabelSelector(field.child(path, 'labelSelector'), term.labelSelector),
    ...validateLabelSelector(field.child(path, 'namespaceSelector'), term.namespaceSelector),
    ...asArray(term.namespaces).flatMap((name) =>
      dns1123Label(asString(name)).map((words) => field.invalid(field.child(path, 'namespace'), name, words)),
    ),
    ...validateMatchLabelKeys(path, term),
    ...(topologyKey === '' ? [field.required(at, 'can not be empty')] : []),
    ...labelKey(at, topologyKey),
  ];
};

const validatePodAffinity = (path: string, affinity: JsonObject): readonly FieldError[] => [
  ...asObjects(affinity[REQUIRED]).flatMap((term, at) =>
    validatePodTerm(field.index(field.child(path, REQUIRED), at), term),
  ),
  ...asObjects(affinity[PREFERRED]).flatMap((term, position) => {
    const at = field.index(field.child(path, PREFERRED), position);
    return [
      ...validateWeight(at, term),
      ...validatePodTerm(field.child(at, 'podAffinityTerm'), asObject(term.podAffinityTerm)),
    ];
  }),
];

export const validateAffinity = (path: string, value: Json | undefined): readonly FieldError[] => {
  const { nodeAffinity, podAffinity, podAntiAffinity } = asObject(value);
  return [
    ...validateNodeAffinity(field.child(path, 'nodeAffinity'), asObject(nodeAffinity)),
    ...validatePodAffinity(field.child(path, 'podAffinity'), asObject(podAffinity)),
    ...validatePodAffinity(field.child(path, 'podAntiAffinity'), asObject(podAntiAffinity)),
  ];
};

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** The effect of a taint or toleration; `optional` lets an empty one pass. */
export const validateEffect = (path: string, value: Json | undefined, optional: boolean): readonly FieldError[] => {
  const effect = asString(value);
  if (effect === '') return optional ? [] : [field.required(path)];
  return EFFECTS.includes(effect) ? [] : [field.notSupported(path, effect, EFFECTS)];
};

const validateTolerationValue = (path: string, toleration: JsonObject): readonly FieldError[] => {
  const [operator, value] = [asString(toleration.operator), asString(toleration.value)];
  if (operator === '' || operator === 'Equal') {
    const complaints = labelValue(value);
    return complaints.length === 0 ? [] : [field.invalid(path, value, complaints.join(';'))];
  }
  if (operator === 'Exists') {
    return value === '' ? [] : [field.invalid(path, value, "value must be empty when `operator` is 'Exists'")];
  }
  const numeric = operator === 'Gt' || operator === 'Lt' ? ['Lt', 'Gt'] : [];
  return [field.notSupported(path, operator, ['Equal', 'Exists', ...numeric])];
};

export const validateTolerations = (path: string, tolerations: readonly JsonObject[]): readonly FieldError[] =>
  tolerations.flatMap((toleration, position) => {
    const at = field.index(path, position);
    const operatorPath = field.child(at, 'operator');
    const [key, operator, effect] = [
      asString(toleration.key),
      asString(toleration.operator),
      asString(toleration.effect),
    ];
    const errors = key === '' ? [] : [...labelKey(field.child(at, 'key'), key)];
    if (key === '' && operator !== 'Exists') {
      const words = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(field.invalid(operatorPath, operator, words));
    }
    if (toleration.tolerationSeconds !== undefined && effect !== 'NoExecute') {
      const words = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(field.invalid(field.child(at, 'effect'), effect, words));
    }
    return [
      ...errors,
      ...validateTolerationValue(operatorPath, toleration),
      ...validateEffect(field.child(at, 'effect'), effect, true),
    ];
  });

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

const validateMinDomains = (path: string, constraint: JsonObject): readonly FieldError[] => {
  const { minDomains, whenUnsatisfiable } = constraint;
  if (typeof minDomains !== 'number') return [];
  const errors = minDomains <= 0 ? [field.invalid(path, minDomains, 'must be greater than 0')] : [];
  if (whenUnsatisfiable !== 'DoNotSchedule') {
    const words = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${asString(whenUnsatisfiable)}`;
    errors.push(field.invalid(path, minDomains, words));
  }
  return errors;
};

const policy = (path: string, value: Json | undefined): readonly FieldError[] =>
  value === undefined || POLICIES.includes(asString(value)) ? [] : [field.notSupported(path, value, POLICIES)];

export const validateSpread = (path: string, constraints: readonly JsonObject[]): readonly FieldError[] =>
  constraints.flatMap((constraint, position) => {
    const at = field.index(path, position);
    const [skew, key, action] = [
      asNumber(constraint.maxSkew),
      asString(constraint.topologyKey),
      asString(constraint.whenUnsatisfiable),
    ];
    const later = constraints.slice(position + 1);
    const repeated = later.some((other) => other.topologyKey === key && other.whenUnsatisfiable === action);
    return [
      ...(skew > 0 ? [] : [field.invalid(field.child(at, 'maxSkew'), skew, 'must be greater than 0')]),
      ...(key === ''
        ? [field.required(field.child(at, 'topologyKey'), 'can not be empty')]
        : labelKey(field.child(at, 'topologyKey'), key)),
      ...(ACTIONS.includes(action) ? [] : [field.notSupported(field.child(at, 'whenUnsatisfiable'), action, ACTIONS)]),
      ...(repeated
        ? [field.duplicate(field.child(at, '{topologyKey, whenUnsatisfiable}'), `{${key}, ${action}}`)]
        : []),
      ...validateMinDomains(field.child(at, 'minDomains'), constraint),
      ...policy(field.child(at, 'nodeAffinityPolicy'), constraint.nodeAffinityPolicy),
      ...policy(field.child(at, 'nodeTaintsPolicy'), constraint.nodeTaintsPolicy),
      ...validateMatchLabelKeys(at, constraint, false),
      ...validateLabelSelector(field.child(at, 'labelSelector'), constraint.labelSelector),
    ];
  });
