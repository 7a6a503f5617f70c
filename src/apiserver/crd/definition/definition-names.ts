import type { DefinitionNames } from '../../../apis/crds/definition.ts';
import type { FieldError } from '../../kind.ts';
import * as field from '../../validation/field-error.ts';
import { dns1035Label } from '../../validation/names.ts';

const check = (path: string, name: string, shown: string, prefix: string): readonly FieldError[] => {
  const complaints = name === '' ? [] : dns1035Label(name);
  return complaints.length === 0 ? [] : [field.invalid(path, shown, `${prefix}${complaints.join(',')}`)];
};

const MIXED = 'may have mixed case, but should otherwise match: ';

/** The names of a resource, requested or accepted. */
export const validateNames = (path: string, names: Partial<DefinitionNames>): readonly FieldError[] => {
  const { plural = '', singular = '', kind = '', listKind = '', shortNames = [], categories = [] } = names;
  const at = (name: string): string => field.child(path, name);
  return [
    ...check(at('plural'), plural, plural, ''),
    ...check(at('singular'), singular, singular, ''),
    ...check(at('kind'), kind.toLowerCase(), kind, MIXED),
    ...check(at('listKind'), listKind.toLowerCase(), listKind, MIXED),
    ...shortNames.flatMap((name, position) => check(field.index(at('shortNames'), position), name, name, '')),
    ...(kind !== '' && kind === listKind
      ? [field.invalid(at('listKind'), listKind, 'kind and listKind may not be the same')]
      : []),
    ...categories.flatMap((name, position) => check(field.index(at('categories'), position), name, name, '')),
  ];
};
