import { expect, test } from 'vitest';
import { mergePatch } from './merge-patch.ts';

test.each<[string, object, object, object | undefined]>([
  ['equal objects', { a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2 }] } }, undefined],
  ['a changed field', { a: 1, b: { c: 1, d: 2 } }, { a: 1, b: { c: 3, d: 2 } }, { b: { c: 3 } }],
  ['a removed field', { a: { b: 1, c: 2 } }, { a: { c: 2 } }, { a: { b: null } }],
  ['a field set to undefined', { a: 1 }, { a: undefined }, { a: null }],
  ['an added field that is undefined', { a: 1 }, { a: 1, b: undefined }, undefined],
  ['a list', { a: [1, 2] }, { a: [1] }, { a: [1] }],
  ['an object in place of text', { a: 'x' }, { a: { b: 1 } }, { a: { b: 1 } }],
])('%s', (_, before, after, patch) => {
  expect(mergePatch(before, after)).toEqual(patch);
});
