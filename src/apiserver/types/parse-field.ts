import type { Json } from '../kind.ts';
import type { Field, GoType } from './go-type.ts';

/** Reads one field line of the table; `resolve` turns a type expression into a type, `owner` is the struct's name. */
export function parseField(line: string, owner: string, resolve: (expression: string) => GoType): Field {
  const [head = line, ...rest] = line.split(' d=');
  const fallback = rest.length > 0 ? { default: JSON.parse(rest.join(' d=')) as Json } : {};
  const [name = '', expression = '', number = '0', ...words] = head.split(' ');
  const options = new Map(words.map((word): [string, string] => [word.charAt(0), word.slice(2)]));
  const [listType, keys] = options.get('l')?.split(':') ?? [];
  const type = resolve(expression);
  return {
    name,
    owner,
    type,
    numbers: number === '0' ? [] : number.split('.').map(Number),
    omitEmpty: options.has('o'),
    omitZero: options.has('z'),
    alwaysWritten: type.kind === 'struct' || (type.kind === 'special' && type.name !== 'any'),
    required: options.has('r'),
    inlined: options.get('i')?.split('.') ?? [],
    ...present('patchStrategy', options.get('p')),
    ...present('patchMergeKey', options.get('k')),
    ...present('listType', listType as Field['listType']),
    ...present('mapKeys', keys?.split(',')),
    ...present('mapType', options.get('m') as Field['mapType']),
    ...present('enum', options.get('e')?.split(',')),
    ...fallback,
  };
}

const present = <K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
