import { expect, it } from 'vitest';
import { fieldChanges } from './field-change.ts';

const printed = (from: unknown, to: unknown): string[] =>
  fieldChanges(from, to, 'spec').map((change) => `${change.field}: ${change.from} -> ${change.to}`);

const requirement = (key: string, ...values: string[]) => ({ key, operator: 'In', values });

it.each([
  [{ a: 1 }, { a: 1 }, []],
  [{ a: 1 }, { a: 2, b: true }, ['spec.a: 1 -> 2', 'spec.b: null -> true']],
  [{ limits: { 'example.com/gpu': '1' } }, {}, ['spec.limits[example.com/gpu]: 1 -> null']],
  [[requirement('arch', 'a')], [requirement('arch', 'a', 'b')], ['spec[arch]: In [a] -> In [a b]']],
  [[requirement('x', 'a'), requirement('y', 'a')], [requirement('y', 'a')], ['spec[x]: In [a] -> null']],
  [[requirement('x', 'a'), requirement('x', 'b')], [requirement('x', 'a')], ['spec: x In [a], x In [b] -> x In [a]']],
  [[{ key: 't', value: 'v', effect: 'NoSchedule' }], [], ['spec: t=v:NoSchedule -> none']],
  [
    { budgets: [{ nodes: '1' }] },
    { budgets: [{ nodes: '2', reasons: ['Empty'], schedule: '@daily', duration: '1h' }] },
    ['spec.budgets: 1 -> 2 for Empty at "@daily" for 1h'],
  ],
])('%j to %j', (from, to, changes) => {
  expect(printed(from, to)).toEqual(changes);
});
