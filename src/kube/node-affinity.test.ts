import { describe, expect, test } from 'vitest';
import { matchesNode } from './node-affinity.ts';
import type { Node, NodeSelectorTerm } from './objects.ts';
import { untoleratedTaint } from './taints.ts';

const node: Node = { metadata: { name: 'n1', labels: { zone: 'a', cores: '8', odd: 'x' } }, spec: {} };
const affinity = (...terms: NodeSelectorTerm[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
});
const expression = (key: string, operator: string, ...values: string[]) =>
  affinity({ matchExpressions: [{ key, operator, values }] });

describe('which nodes a pod may go to', () => {
  test.each([
    ['a selector that fits', { nodeSelector: { zone: 'a' } }, true],
    ['a selector that does not', { nodeSelector: { zone: 'b' } }, false],
    ['nothing asked', {}, true],
    ['In', expression('zone', 'In', 'a', 'b'), true],
    ['NotIn of an absent label', expression('gpu', 'NotIn', 'yes'), true],
    ['NotIn', expression('zone', 'NotIn', 'a'), false],
    ['Exists', expression('gpu', 'Exists'), false],
    ['Exists of a key that every JavaScript object has', expression('constructor', 'Exists'), false],
    ['DoesNotExist', expression('gpu', 'DoesNotExist'), true],
    ['Gt', expression('cores', 'Gt', '7'), true],
    ['Gt is strict', expression('cores', 'Gt', '8'), false],
    ['Lt', expression('cores', 'Lt', '9'), true],
    ['Gt of what is no number', expression('odd', 'Gt', '1'), false],
    ['a field', affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }), true],
    ['an empty term matches nothing', affinity({}), false],
    [
      'terms are alternatives',
      affinity({}, { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }),
      true,
    ],
  ])('%s', (_, spec, expected) => {
    expect(matchesNode(spec, node)).toBe(expected);
  });
});

describe('which taint keeps a pod away', () => {
  const taint = { key: 'k', value: 'v', effect: 'NoSchedule' };
  test.each([
    ['no toleration', [], taint],
    ['equal key and value', [{ key: 'k', operator: 'Equal', value: 'v' }], undefined],
    ['Equal is the default', [{ key: 'k', value: 'v' }], undefined],
    ['another value', [{ key: 'k', value: 'w' }], taint],
    ['Exists', [{ key: 'k', operator: 'Exists' }], undefined],
    ['Exists without a key', [{ operator: 'Exists' }], undefined],
    ['another effect', [{ key: 'k', operator: 'Exists', effect: 'NoExecute' }], taint],
  ])('%s', (_, tolerations, expected) => {
    expect(untoleratedTaint([taint], tolerations, ['NoSchedule'])).toBe(expected);
  });

  test('effects that are not asked for do not count', () => {
    expect(untoleratedTaint([taint], [], ['NoExecute'])).toBeUndefined();
  });
});
