import { asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import type { ExpressionChecker } from '../expression-checker.ts';
import * as field from '../field-error.ts';
import { dns1123Label, dns1123Subdomain } from '../names.ts';
import { immutable } from '../object-meta.ts';
import { validateSelectors } from './device-selectors.ts';
import type { Particulars } from './kind-rules.ts';

/** ResourceClaims, as far as requests go by device classes and selectors (pkg/apis/resource/validation). */

const validateClass = (path: string, request: JsonObject): readonly FieldError[] => {
  const name = asString(request.deviceClassName);
  if (name === '') return [field.required(path)];
  return dns1123Subdomain(name).map((words) => field.invalid(path, name, words));
};

const validateChoice = (path: string, choice: JsonObject, checker: ExpressionChecker): readonly FieldError[] => [
  ...validateClass(`${path}.deviceClassName`, choice),
  ...validateSelectors(`${path}.selectors`, choice.selectors, checker),
];

const validateRequest = (path: string, request: JsonObject, checker: ExpressionChecker): readonly FieldError[] => {
  const name = asString(request.name);
  const named =
    name === ''
      ? [field.required(`${path}.name`)]
      : dns1123Label(name).map((words) => field.invalid(`${path}.name`, name, words));
  const { exactly, firstAvailable } = request;
  const exact = exactly === undefined ? [] : validateChoice(`${path}.exactly`, asObject(exactly), checker);
  const choices = asObjects(firstAvailable).flatMap((choice, at) =>
    validateChoice(`${path}.firstAvailable[${at}]`, choice, checker),
  );
  return [...named, ...exact, ...choices];
};

const validateSpec = (path: string, spec: Json | undefined, checker: ExpressionChecker): readonly FieldError[] =>
  asObjects(asObject(asObject(spec).devices).requests).flatMap((request, at) =>
    validateRequest(`${path}.devices.requests[${at}]`, request, checker),
  );

export const resourceClaim: Particulars = {
  expressions: (checker) => ({ create: (object) => validateSpec('spec', object.spec, checker) }),
  update: (object, old) => immutable('spec', object.spec, old.spec),
};

export const resourceClaimTemplate: Particulars = {
  expressions: (checker) => ({ create: (object) => validateSpec('spec.spec', asObject(object.spec).spec, checker) }),
  update: (object, old) => immutable('spec', object.spec, old.spec),
};
