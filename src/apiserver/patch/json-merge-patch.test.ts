import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Json, JsonObject } from '../kind.ts';
import { applyJsonMergePatch } from './json-merge-patch.ts';

it.each<[JsonObject, JsonObject, JsonObject]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('merges %j with %j into %j', (target, patch, expected) => {
  expect(applyJsonMergePatch(target, patch)).toEqual(expected);
});

const object = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'),
  fc.jsonValue({ maxDepth: 3 }),
) as fc.Arbitrary<JsonObject>;

it('does the same twice as once, and leaves its input alone', () => {
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const before = JSON.stringify([target, patch]);
      const once = applyJsonMergePatch(target, patch);
      expect(applyJsonMergePatch(once, patch)).toEqual(once);
      expect(JSON.stringify([target, patch])).toBe(before);
    }),
  );
});

it('leaves no null that comes from the patch', () => {
  const nulls = (value: Json | undefined): boolean =>
    value === null || (typeof value === 'object' && !Array.isArray(value) && Object.values(value).some(nulls));
  fc.assert(fc.property(object, (patch) => !nulls(applyJsonMergePatch({}, patch))));
});
