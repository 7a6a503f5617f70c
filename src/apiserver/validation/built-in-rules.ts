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
export const builtInRules: BuiltInRules = ({ group, version, kind }, namespaced) => {
  const rules = particularsOf(group, version, kind);
  const { name } = rules;
  return {
    applyDefaults: completionOf(group, version, kind),
    validateCreate: (object) => [
      ...(rules.withoutMeta ? NONE : validateMeta(object, { namespaced, ...(name ? { name } : {}) })),
      ...(rules.create?.(object) ?? NONE),
    ],
    validateUpdate: (object, old, subresource) => [
      ...validateAnyUpdate(object, old, namespaced),
      ...(rules.withoutMeta ? NONE : validateMetaUpdate(object, old)),
      ...updateErrors(rules, object, old, subresource),
    ],
    ...(rules.warnings ? { warnings: rules.warnings } : {}),
  };
};
