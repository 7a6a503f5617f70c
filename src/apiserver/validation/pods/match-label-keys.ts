import { asArray, asObject, asObjects, asString } from '../../json.ts';
import type { FieldError, JsonObject } from '../../kind.ts';
import * as field from '../field-error.ts';
import { qualifiedName } from '../names.ts';

/**
 * `matchLabelKeys` and `mismatchLabelKeys` of an affinity term or spread constraint. `merged`: the keys were merged into the
 * selector, so that one that stands there in another way is an error.
 */
export const validateMatchLabelKeys = (path: string, term: JsonObject, merged = true): readonly FieldError[] => {
  const [match, mismatch] = [asArray(term.matchLabelKeys).map(asString), asArray(term.mismatchLabelKeys).map(asString)];
  const errors: FieldError[] = [];
  const selectorMissing = term.labelSelector === undefined;
  for (const [name, keys] of [
    ['matchLabelKeys', match],
    ['mismatchLabelKeys', mismatch],
  ] as const) {
    const at = field.child(path, name);
    if (keys.length > 0 && selectorMissing) {
      errors.push(field.forbidden(at, 'must not be specified when labelSelector is not set'));
      continue;
    }
    for (const [position, key] of keys.entries()) {
      for (const words of qualifiedName(key)) errors.push(field.invalid(field.index(at, position), key, words));
    }
  }
  if (!merged) return errors;
  for (const [position, key] of match.entries()) {
    if (!mismatch.includes(key)) continue;
    const words = 'exists in both matchLabelKeys and mismatchLabelKeys';
    errors.push(field.invalid(field.index(field.child(path, 'matchLabelKeys'), position), key, words));
  }
  const selector = asObject(term.labelSelector);
  const exact = Object.keys(asObject(selector.matchLabels));
  const expressed = asObjects(selector.matchExpressions).map(({ key }) => asString(key));
  for (const [position, key] of match.entries()) {
    if (!exact.includes(key) && expressed.filter((other) => other === key).length < 2) continue;
    const words = 'exists in both matchLabelKeys and labelSelector';
    errors.push(field.invalid(field.index(field.child(path, 'matchLabelKeys'), position), key, words));
  }
  return errors;
};
