import type { FieldError } from '../kind.ts';
import { goJson, goNumber, goQuote } from './go-text.ts';

/** Constructors of field errors in the words of apimachinery's `util/validation/field`. */

/** A bad value that the message leaves out. */
export const OMITTED: unique symbol = Symbol('omitted');

/** A bad value whose text is made already: a Go struct, whose JSON keeps the order of its fields. */
export class Verbatim {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A path as kube-apiserver prints it; the empty string is the object itself. */
export type Path = string;

export const child = (path: Path, name: string): Path => (path === '' ? name : `${path}.${name}`);
export const index = (path: Path, position: number): Path => `${path}[${position}]`;
export const key = (path: Path, name: string): Path => `${path}[${name}]`;

const shown = (path: Path): string => (path === '' ? '<nil>' : path);

const printed = (value: unknown): string => {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return goNumber(value);
  if (value instanceof Verbatim) return value.text;
  return goJson(value);
};

const withDetail = (text: string, detail: string): string => (detail === '' ? text : `${text}: ${detail}`);

const withValue = (words: string, value: unknown, detail: string): string =>
  withDetail(value === OMITTED ? words : `${words}: ${printed(value)}`, detail);

export const invalid = (path: Path, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field: shown(path),
  message: withValue('Invalid value', value, detail),
});

export const typeInvalid = (path: Path, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueTypeInvalid',
  field: shown(path),
  message: withValue('Invalid value', value, detail),
});

export const required = (path: Path, detail = ''): FieldError => ({
  type: 'FieldValueRequired',
  field: shown(path),
  message: withDetail('Required value', detail),
});

export const forbidden = (path: Path, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field: shown(path),
  message: withDetail('Forbidden', detail),
});

export const duplicate = (path: Path, value: unknown): FieldError => ({
  type: 'FieldValueDuplicate',
  field: shown(path),
  message: withValue('Duplicate value', value, ''),
});

export const notFound = (path: Path, value: unknown): FieldError => ({
  type: 'FieldValueNotFound',
  field: shown(path),
  message: withValue('Not found', value, ''),
});

/** `supported` is printed in the order given. */
export const notSupported = (path: Path, value: unknown, supported: readonly string[]): FieldError => ({
  type: 'FieldValueNotSupported',
  field: shown(path),
  message: withValue(
    'Unsupported value',
    value,
    supported.length === 0 ? '' : `supported values: ${supported.map(goQuote).join(', ')}`,
  ),
});

const tooLongDetail = (maximum: number, one: string, many: string): string =>
  maximum < 0 ? 'value is too long' : `may not be more than ${maximum} ${maximum === 1 ? one : many}`;

export const tooLong = (path: Path, maximum: number): FieldError => ({
  type: 'FieldValueTooLong',
  field: shown(path),
  message: withDetail('Too long', tooLongDetail(maximum, 'byte', 'bytes')),
});

export const tooMany = (path: Path, actual: number, maximum: number): FieldError => ({
  type: 'FieldValueTooMany',
  field: shown(path),
  message: withValue('Too many', actual, `must have at most ${maximum} ${maximum === 1 ? 'item' : 'items'}`),
});

/** The whole line of an error, as in a Status message. */
export const errorLine = (error: FieldError): string => `${error.field}: ${error.message}`;
