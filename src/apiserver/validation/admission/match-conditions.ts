import { asArray, asObjects, asString } from '../../json.ts';
import type { FieldError, Json } from '../../kind.ts';
import type { ExpressionChecker } from '../expression-checker.ts';
import * as field from '../field-error.ts';
import { qualifiedName } from '../names.ts';

const MOST = 64;

/** Conditions that a request has to meet, of webhooks and policies. */
export const validateMatchConditions = (
  path: string,
  given: Json | undefined,
  checker: ExpressionChecker,
  params: boolean,
): readonly FieldError[] => {
  const expressions = checker.composed(params, false);
  const conditions = asObjects(given);
  const names = conditions.map(({ name }) => asString(name));
  const use = { returns: ['bool'], params, authorizer: true };
  return [
    ...(asArray(given).length > MOST ? [field.tooMany(path, asArray(given).length, MOST)] : []),
    ...conditions.flatMap((condition, at) => {
      const here = field.index(path, at);
      const expressionPath = field.child(here, 'expression');
      const namePath = field.child(here, 'name');
      const expression = asString(condition.expression).trim();
      const name = names[at] ?? '';
      const fault = expression === '' ? undefined : expressions.fault(expression, use);
      return [
        ...(expression === '' ? [field.required(expressionPath)] : []),
        ...(fault === undefined ? [] : [field.invalid(expressionPath, expression, fault)]),
        ...(name === ''
          ? [field.required(namePath)]
          : qualifiedName(name).map((words) => field.invalid(namePath, name, words))),
        ...(name !== '' && names.indexOf(name) < at ? [field.duplicate(namePath, name)] : []),
      ];
    }),
  ];
};
