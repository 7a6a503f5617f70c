import type { ScalePaths } from '../../apis/crds/definition.ts';
import type { FieldError, Json, JsonObject } from '../kind.ts';
import * as field from '../validation/field-error.ts';
import { goType, goValue } from '../validation/go-text.ts';

const MAX_INT32 = 2 ** 31 - 1;

type Found = { readonly value: Json | undefined } | { readonly error: string };

/** Follows a simple JSON path such as `.spec.replicas`; `error` says where it left the road, in Go's words. */
const follow = (object: JsonObject, path: string): Found => {
  const parts = path.replace(/^\./, '').split('.');
  let value: Json | undefined = object;
  for (const [at, part] of parts.entries()) {
    if (value === undefined || value === null) return { value: undefined };
    if (typeof value !== 'object' || Array.isArray(value)) {
      const before = parts.slice(0, at + 1).join('.');
      const words = `${goValue(value)} is of the type ${goType(value)}, expected map[string]interface{}`;
      return { error: `.${before} accessor error: ${words}` };
    }
    value = (value as JsonObject)[part];
  }
  return { value };
};

const accessorError = (path: string, value: Json, expected: string): string =>
  `.${path.replace(/^\./, '')} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected ${expected}`;

const checkReplicas = (object: JsonObject, path: string): readonly FieldError[] => {
  const found = follow(object, path);
  if ('error' in found) return [field.invalid(path, 0, found.error)];
  const { value } = found;
  if (value === undefined) return [];
  if (!Number.isInteger(value)) return [field.invalid(path, 0, accessorError(path, value, 'int64'))];
  const count = value as number;
  if (count < 0) return [field.invalid(path, count, 'should be a non-negative integer')];
  return count > MAX_INT32 ? [field.invalid(path, count, `should be less than or equal to ${MAX_INT32}`)] : [];
};

/** Replicas that a body writes as `2.0`, which Go takes for a float. */
export const validateScaleFloats = (
  floats: ReadonlyMap<string, number>,
  scale: ScalePaths | undefined,
  subresource: string,
): readonly FieldError[] => {
  const path = subresource === 'status' ? scale?.statusReplicasPath : scale?.specReplicasPath;
  const value = floats.get((path ?? '').replace(/^\./, ''));
  if (path === undefined || value === undefined) return [];
  const words = `${path} accessor error: ${goValue(value)} is of the type float64, expected int64`;
  return [field.invalid(path, 0, words)];
};

export const validateScaleSpec = (object: JsonObject, scale: ScalePaths | undefined): readonly FieldError[] =>
  scale === undefined ? [] : checkReplicas(object, scale.specReplicasPath);

export const validateScaleStatus = (object: JsonObject, scale: ScalePaths | undefined): readonly FieldError[] => {
  if (scale === undefined) return [];
  const errors = [...checkReplicas(object, scale.statusReplicasPath)];
  const path = scale.labelSelectorPath;
  if (path === undefined) return errors;
  const found = follow(object, path);
  if ('error' in found) errors.push(field.invalid(path, '', found.error));
  else if (found.value !== undefined && typeof found.value !== 'string') {
    errors.push(field.invalid(path, '', accessorError(path, found.value, 'string')));
  }
  return errors;
};
