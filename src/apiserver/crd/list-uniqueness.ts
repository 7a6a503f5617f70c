import { isObject } from '../json.ts';
import type { FieldError, Json, JsonObject } from '../kind.ts';
import * as field from '../validation/field-error.ts';
import { goJson } from '../validation/go-text.ts';
import type { Structural } from './structural.ts';

/** Lists of type set may not repeat an item, lists of type map not their keys (apiextensions' schema/listtype). */
export const checkListUniqueness = (path: string, schema: Structural, value: Json): readonly FieldError[] => {
  const errors: FieldError[] = [];
  visit(path, schema, value, errors);
  return errors;
};

const visit = (path: string, schema: Structural, value: Json, errors: FieldError[]): void => {
  if (Array.isArray(value)) {
    const list = value as readonly Json[];
    if (schema.listType === 'set') checkSet(path, list, list, errors);
    if (schema.listType === 'map') checkMap(path, schema, list, errors);
    const { items } = schema;
    if (items !== undefined) for (const [at, item] of list.entries()) visit(field.index(path, at), items, item, errors);
  } else if (isObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue;
      const property = schema.properties.get(name);
      if (property !== undefined) visit(field.child(path, name), property, item, errors);
      else if (schema.additional !== undefined) visit(field.key(path, name), schema.additional, item, errors);
    }
  }
};

/** Reports the first repetition of each item; `shown` are the values that messages print. */
const checkSet = (path: string, keys: readonly Json[], shown: readonly Json[], errors: FieldError[]): void => {
  const seen = new Map<string, number>();
  keys.forEach((item, at) => {
    const id = goJson(item);
    const times = seen.get(id) ?? 0;
    seen.set(id, times + 1);
    if (times === 1) errors.push(field.duplicate(field.index(path, at), shown[at]));
  });
};

const checkMap = (path: string, schema: Structural, list: readonly Json[], errors: FieldError[]): void => {
  const stray = list.findIndex((item) => item !== null && !isObject(item));
  if (stray >= 0) {
    errors.push(
      field.invalid(field.index(path, stray), list[stray], 'must be an object for an array of list-type map'),
    );
    return;
  }
  const keys = list.map((item): JsonObject => {
    const names = schema.listMapKeys.filter((name) => isObject(item) && item[name] !== undefined);
    return Object.fromEntries(names.map((name) => [name, (item as JsonObject)[name]]));
  });
  checkSet(path, keys, keys, errors);
};
