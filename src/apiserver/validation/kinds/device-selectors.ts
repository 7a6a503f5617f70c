import { asArray, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, Json, JsonObject } from '../../kind.ts';
import type { ExpressionChecker } from '../expression-checker.ts';
import * as field from '../field-error.ts';
import type { Particulars } from './kind-rules.ts';

/** Which devices are meant, as CEL (pkg/apis/resource/validation). */

const MOST_SELECTORS = 32;
const LONGEST_EXPRESSION = 10 * 1024;

const validateSelector = (path: string, selector: JsonObject, checker: ExpressionChecker): readonly FieldError[] => {
  const celPath = field.child(path, 'cel');
  if (selector.cel === undefined) return [field.required(celPath)];
  const expression = asString(asObject(selector.cel).expression);
  const expressionPath = field.child(celPath, 'expression');
  if (Buffer.byteLength(expression) > LONGEST_EXPRESSION) return [field.tooLong(expressionPath, LONGEST_EXPRESSION)];
  const fault = checker.deviceFault(expression);
  return fault === undefined ? [] : [field.invalid(expressionPath, expression, fault)];
};

export const validateSelectors = (
  path: string,
  given: Json | undefined,
  checker: ExpressionChecker,
): readonly FieldError[] => {
  const many = asArray(given).length;
  return [
    ...(many > MOST_SELECTORS ? [field.tooMany(path, many, MOST_SELECTORS)] : []),
    ...asObjects(given).flatMap((selector, at) => validateSelector(field.index(path, at), selector, checker)),
  ];
};

export const deviceClass: Particulars = {
  expressions: (checker) => ({
    create: ({ spec }) => validateSelectors('spec.selectors', asObject(spec).selectors, checker),
  }),
};
