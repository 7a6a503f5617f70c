import { isObject } from '../json.ts';
import type { FieldError, Json, JsonObject } from '../kind.ts';
import * as field from '../validation/field-error.ts';
import { dns1035Label, pathSegmentName } from '../validation/names.ts';
import { validateMeta } from '../validation/object-meta.ts';
import type { Structural } from './structural.ts';

/** Validates apiVersion, kind and metadata of embedded resources (apiextensions' schema/objectmeta). */
export const validateEmbedded = (path: string, schema: Structural, value: Json): readonly FieldError[] => {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return (value as readonly Json[]).flatMap((item, at) => validateEmbedded(field.index(path, at), items, item));
  }
  if (!isObject(value)) return [];
  const errors = schema.embedded ? [...validateResource(path, value)] : [];
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const property = schema.properties.get(name);
    if (property !== undefined) errors.push(...validateEmbedded(field.child(path, name), property, item));
    else if (schema.additional !== undefined) {
      errors.push(...validateEmbedded(field.key(path, name), schema.additional, item));
    }
  }
  return errors;
};

const validateResource = (path: string, resource: JsonObject): readonly FieldError[] => {
  const errors: FieldError[] = [];
  const { apiVersion, kind, metadata } = resource;
  const [versionPath, kindPath] = [field.child(path, 'apiVersion'), field.child(path, 'kind')];
  if (apiVersion === undefined) errors.push(field.required(versionPath));
  if (kind === undefined) errors.push(field.required(kindPath));
  if (apiVersion === '') errors.push(field.invalid(versionPath, apiVersion, 'must not be empty'));
  else if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2) {
    errors.push(field.invalid(versionPath, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
  if (kind === '') errors.push(field.invalid(kindPath, kind, 'must not be empty'));
  else if (typeof kind === 'string') {
    const complaints = dns1035Label(kind.toLowerCase());
    const words = `may have mixed case, but should otherwise match: ${complaints.join(',')}`;
    if (complaints.length > 0) errors.push(field.invalid(kindPath, kind, words));
  }
  if (isObject(metadata)) {
    const named =
      typeof metadata.name === 'string' && metadata.name !== '' ? metadata : { ...metadata, name: 'fakename' };
    const namespaced = typeof metadata.namespace === 'string' && metadata.namespace !== '';
    const rules = { namespaced, name: pathSegmentName };
    errors.push(...validateMeta({ metadata: named }, rules, field.child(path, 'metadata')));
  }
  return errors;
};
