import fc from 'fast-check';
import { expect, it } from 'vitest';
import { difference, fieldSetOf, hasPath, intersection, pathsOf, sortedSet, union, withoutTrees } from './field-set.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"c"}', 'v:"x"');
const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 3 }), { maxLength: 6 });
const text = (path: readonly string[]): string => path.join('/');
const members = (set: ReturnType<typeof fieldSetOf>): readonly string[] => [...pathsOf(set)].map(text).sort();
const sorted = (texts: Iterable<string>): readonly string[] => [...texts].sort();

it('holds exactly the paths it was made of', () => {
  fc.assert(
    fc.property(paths, (list) => {
      const set = fieldSetOf(...list);
      expect(members(set)).toEqual(sorted(new Set(list.map(text))));
      expect(list.every((path) => hasPath(set, path))).toBe(true);
      expect(sortedSet(set)).toEqual(set);
    }),
  );
});

it('unites, intersects and subtracts as sets of paths do', () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [fieldSetOf(...left), fieldSetOf(...right)];
      const [lefts, rights] = [new Set(left.map(text)), new Set(right.map(text))];
      expect(members(union(a, b))).toEqual(sorted(lefts.union(rights)));
      expect(members(intersection(a, b))).toEqual(sorted(lefts.intersection(rights)));
      expect(members(difference(a, b))).toEqual(sorted(lefts.difference(rights)));
    }),
  );
});

it('drops whole trees where asked to', () => {
  const set = fieldSetOf(['f:status'], ['f:status', 'f:a'], ['f:spec', 'f:a'], ['f:metadata', 'f:b', 'f:c']);
  expect(withoutTrees(set, fieldSetOf(['f:status'], ['f:metadata', 'f:b']))).toEqual({ 'f:spec': { 'f:a': {} } });
});
