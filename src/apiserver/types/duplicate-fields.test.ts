import { expect, it } from 'vitest';
import { mayRepeatKeys, strictErrors } from './duplicate-fields.ts';

it('names each key that one object has twice, with its path', () => {
  const text = '{"a":{"k":"1","k":"2","k":"3"},"l":[{"x":1},{"x":"{,\\"x\\":","x":2}],"k":0}';
  expect(strictErrors(text, [])).toEqual(['duplicate field "a.k"', 'duplicate field "l[1].x"']);
});

it('lists unknown and duplicate fields in document order', () => {
  const text = '{"metadata":{"x":1},"data":{"k":"1","k":"2"},"y":2}';
  expect(strictErrors(text, ['unknown field "metadata.x"', 'unknown field "y"'])).toEqual([
    'unknown field "metadata.x"',
    'duplicate field "data.k"',
    'unknown field "y"',
  ]);
});

it.each([
  ['{"a":1,"b":{"c":[{"d":2}]}}', false],
  ['{"a":1,"a":2}', true],
  ['{"a":{"b":1},"c":[{"b":1},{"b":1,"b":1}]}', true],
  ['{"a":"{\\"b\\":1}"}', true],
])('suspects %s of repeated keys: %s', (text, expected) => {
  expect(mayRepeatKeys(text, JSON.parse(text))).toBe(expected);
});
