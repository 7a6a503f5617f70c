import { expect, it } from 'vitest';
import { encodeSwagger } from './swagger-protobuf.ts';

/** A field on the wire: its number, then its length and content. */
const field = (number: number, content: string): string =>
  `${String.fromCharCode(number * 8 + 2, content.length)}${content}`;
const encoded = (document: Parameters<typeof encodeSwagger>[0]): string => encodeSwagger(document).toString('latin1');

it('writes each key into its field of OpenAPIv2.proto', () => {
  const info = field(1, 'T') + field(2, 'v1');
  expect(encoded({ swagger: '2.0', info: { title: 'T', version: 'v1' } })).toBe(field(1, '2.0') + field(2, info));
});

it('writes references, extensions as YAML, and parameters by their place', () => {
  const reference = field(1, 'A') + field(2, field(1, '#/d/B'));
  expect(encoded({ definitions: { A: { $ref: '#/d/B' } } })).toBe(field(9, field(1, reference)));
  const extension = field(1, 'x-a') + field(2, field(2, '"v"\n'));
  expect(encoded({ 'x-a': 'v' })).toBe(`${String.fromCharCode(0x82, 1, extension.length)}${extension}`);
  const inPath = field(2, field(4, field(2, 'path')));
  const inQuery = field(2, field(3, field(2, 'query')));
  const parameters = [inPath, inQuery].map((one) => field(9, field(1, one))).join('');
  const path = { parameters: [{ in: 'path' }, { in: 'query' }] };
  expect(encoded({ paths: { '/a': path } })).toBe(field(8, field(2, field(1, '/a') + field(2, parameters))));
});

it('leaves out what the format has no field for', () => {
  expect(encoded({ swagger: '2.0', unheard: true })).toBe(field(1, '2.0'));
});
