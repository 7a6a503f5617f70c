import { completionOf } from '../defaults/completions.ts';
import type { FieldError, JsonObject } from '../kind.ts';
import type { BuiltInRules } from '../registry/built-in-kind.ts';
import type { Particulars } from './kinds/kind-rules.ts';
import { particularsOf } from './kinds/particulars.ts';
import { validateAnyUpdate, validateMeta, validateMetaUpdate } from './object-meta.ts';

const NONE: readonly FieldError[] = [];

/** Subresources that write the whole object's spec under its own rules. */
const whole = (subresource: string): boolean => subresource === '' || subresource === 'scale';

const updateErrors = (rules: Particulars, object: JsonObject, old: JsonObject, subresource: string) => {
  if (subresource === 'status') return rules.status?.(object, old) ?? NONE;
  if (!whole(subresource)) return rules.parts?.[subresource]?.(object, old) ?? NONE;
  return rules.update?.(object, old) ?? rules.create?.(object) ?? NONE;
};

/** Defaults and validation of all built-in kinds, as kube-apiserver has them. */
export const builtInRules: BuiltInRules = ({ group, version, kind }, namespaced, expressions) => {
  const particulars = particularsOf(group, version, kind);
  const { name, expressions: checking } = particulars;
  const rulesNow = (): Particulars =>
    checking && expressions ? { ...checking(expressions.checker), ...particulars } : particulars;
  return {
    ...(checking && expressions ? { prepare: () => expressions.load() } : {}),
    applyDefaults: completionOf(group, version, kind),
    validateCreate: (object) => [
      ...(particulars.withoutMeta ? NONE : validateMeta(object, { namespaced, ...(name ? { name } : {}) })),
      ...(rulesNow().create?.(object) ?? NONE),
    ],
    validateUpdate: (object, old, subresource) => [
      ...validateAnyUpdate(object, old, namespaced),
      ...(particulars.withoutMeta ? NONE : validateMetaUpdate(object, old)),
      ...updateErrors(rulesNow(), object, old, subresource),
    ],
    ...(particulars.warnings ? { warnings: particulars.warnings } : {}),
  };
};
