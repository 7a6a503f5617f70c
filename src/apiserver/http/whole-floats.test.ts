import { describe, expect, it } from 'vitest';
import { wholeFloats } from './whole-floats.ts';

describe('whole numbers of a body', () => {
  it.each<[string, Readonly<Record<string, number>>]>([
    ['{"spec":{"replicas":2.0,"other":3}}', { 'spec.replicas': 2 }],
    ['{"a":[1,2e1]}', { 'a[1]': 20 }],
    ['{"a":2.5,"b":"2.0","c":2}', {}],
  ])('are told from those with a fraction: %s', (text, found) => {
    expect(Object.fromEntries(wholeFloats(text) ?? [])).toEqual(found);
  });
});
