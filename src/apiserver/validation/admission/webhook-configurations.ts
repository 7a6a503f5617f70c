import { jsonEqual } from '../../../kube/json-equal.ts';
import { asArray, asNumber, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import type { ExpressionChecker } from '../expression-checker.ts';
import * as field from '../field-error.ts';
import type { Particulars } from '../kinds/kind-rules.ts';
import { dns1035Label, dns1123Subdomain } from '../names.ts';
import { oneOfIfSet } from '../numbers.ts';
import { validateLabelSelector } from '../selectors.ts';
import { validateClientConfig } from './client-config.ts';
import { validateMatchConditions } from './match-conditions.ts';
import { FAILURE_POLICIES, MATCH_POLICIES, REINVOCATION_POLICIES, validateRule } from './request-rules.ts';

/** MutatingWebhookConfigurations and ValidatingWebhookConfigurations. */

const SIDE_EFFECTS = ['None', 'NoneOnDryRun'];
const ALL_SIDE_EFFECTS = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];
const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** What newer rules ask, which an update of an object that breaks them already needn't meet. */
interface Strictness {
  readonly sideEffects: boolean;
  readonly reviewVersions: boolean;
  readonly uniqueNames: boolean;
  readonly conditions: boolean;
}

const STRICT: Strictness = { sideEffects: true, reviewVersions: true, uniqueNames: true, conditions: true };

const namesOf = (webhooks: readonly JsonObject[]): readonly string[] => webhooks.map(({ name }) => asString(name));

const strictnessAfter = (object: JsonObject, old: JsonObject): Strictness => {
  const [now, before] = [asObjects(object.webhooks), asObjects(old.webhooks)];
  const conditionsOf = (webhooks: readonly JsonObject[]) => webhooks.map((one) => asArray(one.matchConditions));
  return {
    sideEffects: before.every(({ sideEffects }) => SIDE_EFFECTS.includes(asString(sideEffects))),
    reviewVersions: before.every(({ admissionReviewVersions }) => {
      const versions = asArray(admissionReviewVersions);
      return versions.length === 0 || versions.some((one) => REVIEW_VERSIONS.includes(asString(one)));
    }),
    uniqueNames: new Set(namesOf(before)).size === before.length,
    conditions: !jsonEqual(conditionsOf(now), conditionsOf(before)),
  };
};

const validateName = (path: string, name: string): readonly FieldError[] => {
  if (name === '') return [field.required(path)];
  const errors = dns1123Subdomain(name);
  if (errors.length > 0) return errors.map((words) => field.invalid(path, name, words));
  if (name.split('.').length >= 3) return [];
  return [field.invalid(path, name, 'should be a domain with at least three segments separated by dots')];
};

const validateReviewVersions = (path: string, webhook: JsonObject, strict: boolean): readonly FieldError[] => {
  const versions = asArray(webhook.admissionReviewVersions).map(asString);
  if (versions.length === 0) return [field.required(path, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)];
  const errors = versions.flatMap((version, at) => {
    const here = field.index(path, at);
    if (versions.indexOf(version) < at) return [field.invalid(here, version, 'duplicate version')];
    return dns1035Label(version).map((words) => field.invalid(here, version, words));
  });
  if (!strict || versions.some((version) => REVIEW_VERSIONS.includes(version))) return errors;
  return [...errors, field.invalid(path, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)];
};

const validateSideEffects = (path: string, webhook: JsonObject, strict: boolean): readonly FieldError[] => {
  const { sideEffects } = webhook;
  const allowed = strict ? SIDE_EFFECTS : ALL_SIDE_EFFECTS;
  if (sideEffects === undefined || sideEffects === null)
    return [field.required(path, `must specify one of ${allowed.join(', ')}`)];
  return allowed.includes(asString(sideEffects)) ? [] : [field.notSupported(path, sideEffects, allowed)];
};

const validateWebhook = (
  path: string,
  webhook: JsonObject,
  checker: ExpressionChecker,
  strict: Strictness,
): readonly FieldError[] => {
  const at = (name: string): string => field.child(path, name);
  const seconds = asNumber(webhook.timeoutSeconds);
  const known = (name: string, values: readonly string[]): readonly FieldError[] =>
    oneOfIfSet(at(name), webhook[name], values);
  return [
    ...validateName(at('name'), asString(webhook.name)),
    ...asObjects(webhook.rules).flatMap((rule, index) => validateRule(field.index(at('rules'), index), rule)),
    ...known('failurePolicy', FAILURE_POLICIES),
    ...known('matchPolicy', MATCH_POLICIES),
    ...validateSideEffects(at('sideEffects'), webhook, strict.sideEffects),
    ...(seconds >= 1 && seconds <= 30
      ? []
      : [field.invalid(at('timeoutSeconds'), seconds, 'the timeout value must be between 1 and 30 seconds')]),
    ...validateLabelSelector(at('namespaceSelector'), webhook.namespaceSelector),
    ...validateLabelSelector(at('objectSelector'), webhook.objectSelector),
    ...known('reinvocationPolicy', REINVOCATION_POLICIES),
    ...validateClientConfig(at('clientConfig'), webhook.clientConfig),
    ...(strict.conditions
      ? validateMatchConditions(at('matchConditions'), webhook.matchConditions, checker, false)
      : []),
    ...validateReviewVersions(at('admissionReviewVersions'), webhook, strict.reviewVersions),
  ];
};

const validate = (object: JsonObject, checker: ExpressionChecker, strict: Strictness): readonly FieldError[] => {
  const webhooks = asObjects(object.webhooks);
  const names = namesOf(webhooks);
  return webhooks.flatMap((webhook, at) => {
    const path = field.index('webhooks', at);
    const name = names[at] ?? '';
    const again = strict.uniqueNames && name !== '' && names.indexOf(name) < at;
    return [
      ...validateWebhook(path, webhook, checker, strict),
      ...(again ? [field.duplicate(field.child(path, 'name'), name)] : []),
    ];
  });
};

export const webhookConfiguration: Particulars = {
  expressions: (checker) => ({
    create: (object) => validate(object, checker, STRICT),
    update: (object, old) => validate(object, checker, strictnessAfter(object, old)),
  }),
};
