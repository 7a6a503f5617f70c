import { describe, expect, test } from 'vitest';
import { nodePool, type Overrides } from '../../test/factories/index.ts';
import type { NodePool } from './node-pool.ts';
import { nodePoolProblems } from './node-pool-problems.ts';

const RULES = {
  wellKnownLabels: new Set(['karpenter.kwok.sh/instance-cpu']),
  restrictedLabelDomains: new Set(['karpenter.kwok.sh']),
};
type Template = Overrides<NodePool['spec']['template']>;
const problems = (template: Template) => nodePoolProblems(nodePool({ spec: { template } }), RULES);
const requirement = (key: string, operator: string, values?: string[], minValues?: number) => {
  const item = { key, operator, values, minValues } as NodePool['spec']['template']['spec']['requirements'][number];
  return problems({ spec: { requirements: [item] } });
};

test.each<[string, Template]>([
  ['nothing special', {}],
  ['own labels and labels of the provider', { metadata: { labels: { 'example.com/team': 'a' } } }],
  [
    'the same taint with two effects',
    {
      spec: {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoExecute' },
        ],
      },
    },
  ],
])('a pool with %s is fine', (_, template) => {
  expect(problems(template)).toEqual([]);
});

describe('refused is', () => {
  test.each<[string, Template, RegExp]>([
    [
      'a label of Karpenter’s own domain',
      { metadata: { labels: { 'karpenter.sh/x': 'a' } } },
      /karpenter.sh\/x is not allowed/,
    ],
    ['a label of the provider’s domain', { metadata: { labels: { 'sub.karpenter.kwok.sh/x': 'a' } } }, /not allowed/],
    [
      'the pool label',
      { metadata: { labels: { 'karpenter.sh/nodepool': 'a' } } },
      /"karpenter.sh\/nodepool" in labels, restricted/,
    ],
    ['a malformed label value', { metadata: { labels: { a: 'b c' } } }, /invalid value: b c for label\[a\]/],
    ['an unknown effect', { spec: { taints: [{ key: 'a', effect: 'Sometimes' }] } }, /"Sometimes" in taints/],
    [
      'one taint in both lists',
      { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }], startupTaints: [{ key: 'a', effect: 'NoSchedule' }] } },
      /duplicate taint Key\/Effect pair a=NoSchedule/,
    ],
  ])('%s', (_, template, message) => {
    expect(problems(template).join()).toMatch(message);
  });

  test.each([
    ['kubernetes.io/hostname', 'In', ['a'], /not allowed/],
    ['karpenter.sh/nodepool', 'In', ['a'], /in requirements, restricted/],
    ['a', 'Is', ['a'], /unsupported operator Is/],
    ['a', 'In', [], /must have a value defined/],
    ['a', 'Gt', ['-1'], /single positive integer value/],
    ['a', 'Lte', ['1', '2'], /single positive integer value/],
    ['karpenter.sh/capacity-type', 'In', ['cheap'], /no valid values found in \[cheap\]/],
  ] as const)('%s %s %j', (key, operator, values, message) => {
    expect(requirement(key, operator, [...values]).join()).toMatch(message);
  });

  test('more minValues than values', () => {
    expect(requirement('a', 'In', ['x'], 2).join()).toMatch(/at least minimum number of values/);
    expect(requirement('karpenter.sh/capacity-type', 'In', ['spot', 'cheap'], 2).join()).toMatch(
      /not enough valid values/,
    );
  });
});

test('a label may be called like what every JavaScript object has', () => {
  expect(requirement('constructor', 'In', ['a'])).toEqual([]);
});

test('old label keys are read as the new ones, and some values may be unknown', () => {
  expect(requirement('beta.kubernetes.io/arch', 'In', ['amd64'])).toEqual([]);
  expect(requirement('karpenter.sh/capacity-type', 'In', ['spot', 'cheap'])).toEqual([]);
});
