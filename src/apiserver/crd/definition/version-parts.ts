import type { DefinitionVersion, PrinterColumn } from '../../../apis/crds/definition.ts';
import type { FieldError } from '../../kind.ts';
import * as field from '../../validation/field-error.ts';
import { readFieldPath } from '../cel/field-path.ts';
import { compileStructural } from '../structural.ts';

/** The parts of a version other than its schema; they may stand at the top of the spec. */

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_SELECTABLE = 8;

const simplePath = (path: string, value: string): readonly FieldError[] =>
  value.startsWith('.') ? [] : [field.invalid(path, value, 'must be a simple json path starting with .')];

const scalePath = (path: string, value: string, prefixes: readonly string[], words: string): readonly FieldError[] => {
  const simple = simplePath(path, value);
  if (simple.length > 0 || prefixes.some((prefix) => value.startsWith(prefix))) return simple;
  return [field.invalid(path, value, words)];
};

export const validateSubresources = (
  path: string,
  subresources: DefinitionVersion['subresources'],
): readonly FieldError[] => {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  const errors: FieldError[] = [];
  for (const [name, prefix] of [
    ['specReplicasPath', '.spec'],
    ['statusReplicasPath', '.status'],
  ] as const) {
    const at = field.child(path, `scale.${name}`);
    if (scale[name] === '') errors.push(field.required(at));
    else errors.push(...scalePath(at, scale[name], [`${prefix}.`], `should be a json path under ${prefix}`));
  }
  const selector = scale.labelSelectorPath ?? '';
  if (selector !== '') {
    const words = 'should be a json path under either .spec or .status';
    errors.push(...scalePath(field.child(path, 'scale.labelSelectorPath'), selector, ['.spec.', '.status.'], words));
  }
  return errors;
};

const validateColumn = (path: string, column: PrinterColumn): readonly FieldError[] => {
  const errors: FieldError[] = [];
  const { name, type, format = '', jsonPath } = column;
  const oneOf = (values: readonly string[]): string => `must be one of ${values.join(',')}`;
  if (name === '') errors.push(field.required(field.child(path, 'name')));
  if (type === '') errors.push(field.required(field.child(path, 'type'), oneOf(COLUMN_TYPES)));
  else if (!COLUMN_TYPES.includes(type))
    errors.push(field.invalid(field.child(path, 'type'), type, oneOf(COLUMN_TYPES)));
  if (format !== '' && !COLUMN_FORMATS.includes(format)) {
    errors.push(field.invalid(field.child(path, 'format'), format, oneOf(COLUMN_FORMATS)));
  }
  const at = field.child(path, 'JSONPath');
  return [...errors, ...(jsonPath === '' ? [field.required(at)] : simplePath(at, jsonPath))];
};

export const validateColumns = (path: string, columns: readonly PrinterColumn[] | undefined): readonly FieldError[] =>
  (columns ?? []).flatMap((column, at) => validateColumn(field.index(path, at), column));

export const validateSelectableFields = (
  path: string,
  version: Pick<DefinitionVersion, 'schema' | 'selectableFields'>,
): readonly FieldError[] => {
  const schema = compileStructural(version.schema?.openAPIV3Schema ?? {});
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [position, { jsonPath }] of (version.selectableFields ?? []).entries()) {
    const at = field.child(field.index(path, position), 'jsonPath');
    if (jsonPath === '') {
      errors.push(field.required(at));
      continue;
    }
    const read = readFieldPath(jsonPath, schema, false);
    if ('error' in read) {
      errors.push(field.invalid(at, jsonPath, `is an invalid path: ${read.error}`));
      continue;
    }
    if (read.path.split('.')[0] === 'metadata') {
      errors.push(field.invalid(at, jsonPath, 'must not point to fields in metadata'));
    }
    if (!['string', 'boolean', 'integer'].includes(read.schema.source.type ?? '')) {
      const words =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.push(field.invalid(at, jsonPath, words));
    }
    if (seen.has(read.path)) errors.push(field.duplicate(at, jsonPath));
    seen.add(read.path);
  }
  if (seen.size > MAX_SELECTABLE) errors.push(field.tooMany(path, seen.size, MAX_SELECTABLE));
  return errors;
};

export const validateDeprecation = (path: string, version: DefinitionVersion): readonly FieldError[] => {
  const { deprecated, deprecationWarning: warning } = version;
  if (warning === undefined) return [];
  const at = field.child(path, 'deprecationWarning');
  if (deprecated !== true) return [field.invalid(at, warning, 'can only be set for deprecated versions')];
  if (Buffer.byteLength(warning) > 256) return [field.invalid(at, warning, 'must be <= 256 characters long')];
  return warning === '' ? [field.invalid(at, warning, 'must not be an empty string')] : [];
};
