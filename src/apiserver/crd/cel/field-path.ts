import { child, key } from '../../validation/field-error.ts';
import { propertyOf, type Structural } from '../structural.ts';

export type FieldPathResult = { readonly path: string; readonly schema: Structural } | { readonly error: string };

const UNESCAPED: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const unquote = (token: string): string =>
  token.slice(1, -1).replaceAll(/\\(.)/g, (_, letter: string) => UNESCAPED[letter] ?? letter);

/**
 * Reads a simple JSON path such as `.spec.names['a']` against a schema and prints it as a field path: `spec.names[a]`
 * (apiextensions' cel.ValidFieldPath).
 */
export const readFieldPath = (text: string, root: Structural, arrays = true): FieldPathResult => {
  let schema = root;
  let path = '';
  const tokens = text.match(/'(?:[^'\\]|\\.)*'|[.[\]]|[^.[\]']+/g) ?? [];
  let at = 0;
  while (at < tokens.length) {
    const token = tokens[at];
    if (token !== '.' && token !== '[') return { error: `expected [ or . but got: ${token ?? ''}` };
    if (token === '[' && !arrays) return { error: 'array notation is not allowed' };
    const next = tokens[at + 1];
    if (next === undefined) return { error: 'unexpected end of JSON path' };
    const quoted = next.startsWith("'") && next.endsWith("'") && next.length >= 2;
    if (token === '[' && !quoted) return { error: `expected single quoted string but got ${next}` };
    const name = token === '[' ? unquote(next) : next;
    const named = schema.properties.size > 0;
    const inner = named ? schema.properties.get(name) : propertyOf(schema, name);
    if (inner === undefined) return { error: 'does not refer to a valid field' };
    path = named ? child(path, name) : key(path, name);
    schema = inner;
    at += 2;
    if (token !== '[') continue;
    if (tokens[at] === undefined) return { error: 'unexpected end of JSON path' };
    if (tokens[at] !== ']') return { error: `expected ] but got ${tokens[at] ?? ''}` };
    at += 1;
  }
  return { path, schema };
};
