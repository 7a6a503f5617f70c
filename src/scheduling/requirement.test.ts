import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Requirement } from './requirement.ts';
import { Requirements } from './requirements.ts';

const VALUES = ['1', '2', '3', '4', 'a', 'b'];
const values = fc.subarray(VALUES);
const bound = fc.constantFrom('0', '1', '2', '3', '4', '5');
const requirement = fc.oneof(
  fc.tuple(fc.constantFrom('In', 'NotIn'), values).map(([operator, list]) => Requirement.of('k', operator, list)),
  fc.constantFrom('Exists', 'DoesNotExist').map((operator) => Requirement.of('k', operator)),
  fc.tuple(fc.constantFrom('Gt', 'Lt', 'Gte', 'Lte'), bound).map(([operator, n]) => Requirement.of('k', operator, [n])),
);

describe('a requirement', () => {
  test('intersected with another one has what both have', () => {
    fc.assert(
      fc.property(requirement, requirement, (a, b) => {
        const both = a.intersection(b);
        for (const value of VALUES) expect(both.has(value)).toBe(a.has(value) && b.has(value));
      }),
    );
  });

  test('overlaps another one exactly when their intersection is not empty', () => {
    fc.assert(
      fc.property(requirement, requirement, (a, b) => {
        expect(a.overlaps(b)).toBe(a.intersection(b).operator !== 'DoesNotExist');
      }),
    );
  });

  test('can be intersected in any order', () => {
    fc.assert(
      fc.property(requirement, requirement, (a, b) => {
        expect(String(a.intersection(b))).toBe(String(b.intersection(a)));
      }),
    );
  });

  test.each([
    ['Gt', '3', 'k Exists >=4'],
    ['Lt', '3', 'k Exists <=2'],
    ['Gte', '3', 'k Exists >=3'],
    ['Gt', '9223372036854775807', 'k DoesNotExist'],
  ])('%s %s reads as %s', (operator, value, text) => {
    expect(String(Requirement.of('k', operator, [value]))).toBe(text);
  });

  test('prints five values, sorted, and says how many there are beyond', () => {
    const text = String(Requirement.of('k', 'In', ['g', 'f', 'e', 'd', 'c', 'b', 'a'], 2));
    expect(text).toBe('k In [a b c d e and 2 others] minValues 2');
  });

  test('of a range that is empty is DoesNotExist and keeps the larger minValues', () => {
    const empty = Requirement.of('k', 'Gt', ['5'], 2).intersection(Requirement.of('k', 'Lt', ['3'], 4));
    expect(String(empty)).toBe('k DoesNotExist minValues 4');
  });

  test('drops exclusions that its bounds rule out anyway', () => {
    const bounded = Requirement.of('k', 'NotIn', ['1', '7', 'x']).intersection(Requirement.of('k', 'Gte', ['5']));
    expect(String(bounded)).toBe('k NotIn [7] >=5');
  });

  test('of a range becomes two items of an object, and loses its exclusions', () => {
    const range = Requirement.of('k', 'Gte', ['2'], 3)
      .intersection(Requirement.of('k', 'Lte', ['8']))
      .intersection(Requirement.of('k', 'NotIn', ['5']));
    expect(range.toItems()).toEqual([
      { key: 'k', operator: 'Gte', values: ['2'], minValues: 3 },
      { key: 'k', operator: 'Lte', values: ['8'], minValues: 3 },
    ]);
  });

  test('under an old label key has the new one', () => {
    expect(Requirement.of('beta.kubernetes.io/arch', 'In', ['arm64']).key).toBe('kubernetes.io/arch');
  });
});

describe('requirements of a node', () => {
  const node = (items: Record<string, readonly [string, ...string[]]>) =>
    new Requirements(Object.entries(items).map(([key, [operator, ...list]]) => Requirement.of(key, operator, list)));
  const IN = node({ k: ['In', 'a', 'b'] });
  const NOTHING = node({});

  test.each<[string, Requirements, Requirements, boolean]>([
    ['a value that the node may have', IN, node({ k: ['In', 'b', 'c'] }), true],
    ['a value that it may not have', IN, node({ k: ['In', 'c'] }), false],
    ['a key that it lacks', NOTHING, node({ k: ['In', 'a'] }), false],
    ['any value of a key that it lacks', NOTHING, node({ k: ['Exists'] }), false],
    ['not a value, of a key that it lacks', NOTHING, node({ k: ['NotIn', 'a'] }), true],
    ['no such key, which it lacks', NOTHING, node({ k: ['DoesNotExist'] }), true],
    ['no such key, which it has', IN, node({ k: ['DoesNotExist'] }), false],
    ['no such key, which it must not have', node({ k: ['DoesNotExist'] }), node({ k: ['DoesNotExist'] }), true],
    ['not a value, of a key it must not have', node({ k: ['DoesNotExist'] }), node({ k: ['NotIn', 'a'] }), true],
    ['no such key, which only must not be some', node({ k: ['NotIn', 'a'] }), node({ k: ['DoesNotExist'] }), true],
    ['nothing about a key that it has', IN, NOTHING, true],
    ['a number in its range', node({ k: ['Gt', '3'] }), node({ k: ['In', '4'] }), true],
    ['a number outside', node({ k: ['Gt', '3'] }), node({ k: ['In', '3'] }), false],
  ])('are compatible with %s: %#', (_, labels, wanted, expected) => {
    expect(labels.compatible(wanted)).toBe(expected);
    expect(labels.incompatibility(wanted) === undefined).toBe(expected);
  });

  test('may leave a well-known key undefined while the node is new', () => {
    const wanted = node({ k: ['In', 'a'] });
    expect(NOTHING.compatible(wanted, new Set(['k']))).toBe(true);
  });

  test('name the key they lack, and one that may have been meant', () => {
    const wanted = node({ 'example.com/zone': ['In', 'a'] });
    const known = new Set(['topology.kubernetes.io/zone']);
    expect(NOTHING.incompatibility(wanted, known)).toBe(
      'label "example.com/zone" does not have known values (typo of "topology.kubernetes.io/zone"?)',
    );
  });

  test('say which requirement does not meet which', () => {
    expect(IN.incompatibility(node({ k: ['In', 'c'] }))).toBe('key k, k In [c] not in k In [a b]');
  });
});
