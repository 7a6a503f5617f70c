import { expect, it } from 'vitest';
import { duplicateFields, strictErrors } from './duplicate-fields.ts';

it('names each key that one object has twice, with its path', () => {
  const text = '{"a":{"k":"1","k":"2","k":"3"},"l":[{"x":1},{"x":"{,\\"x\\":","x":2}],"k":0}';
  expect(duplicateFields(text)).toEqual(['duplicate field "a.k"', 'duplicate field "l[1].x"']);
});

it('lists unknown and duplicate fields in document order', () => {
  const text = '{"metadata":{"x":1},"data":{"k":"1","k":"2"},"y":2}';
  expect(strictErrors(text, ['unknown field "metadata.x"', 'unknown field "y"'])).toEqual([
    'unknown field "metadata.x"',
    'duplicate field "data.k"',
    'unknown field "y"',
  ]);
});
