import { describe, expect, it } from 'vitest';
import { matchesNode, matchesNodeSelector } from './node-affinity.ts';
import type { NodeSelectorRequirement } from './objects.ts';
import { tolerates, untoleratedTaint } from './taints.ts';

const taint = { key: 'gpu', value: '4', effect: 'NoSchedule' };

describe('tolerations', () => {
  it.each([
    [{ operator: 'Exists' }, true],
    [{ key: 'gpu', operator: 'Exists' }, true],
    [{ key: 'gpu', operator: 'Exists', effect: 'NoExecute' }, false],
    [{ key: 'gpu', value: '4' }, true],
    [{ key: 'gpu', operator: 'Equal', value: '5' }, false],
    [{ key: 'cpu', operator: 'Exists' }, false],
    [{ key: 'gpu', operator: 'Gt', value: '3' }, true],
    [{ key: 'gpu', operator: 'Gt', value: '4' }, false],
    [{ key: 'gpu', operator: 'Lt', value: '10' }, true],
    [{ key: 'gpu', operator: 'Lt', value: '010' }, false],
    [{ key: 'gpu', operator: 'Like', value: '4' }, false],
    [{ value: '4' }, true],
  ])('%j on gpu=4:NoSchedule: %s', (toleration, expected) => {
    expect(tolerates(toleration, taint)).toBe(expected);
  });

  it('name the first taint they leave', () => {
    const soft = { key: 'soft', effect: 'PreferNoSchedule' };
    expect(untoleratedTaint([soft, taint], [], ['NoSchedule', 'PreferNoSchedule'])).toBe(soft);
    expect(untoleratedTaint([soft, taint], [], ['NoSchedule', 'NoExecute'])).toBe(taint);
    expect(untoleratedTaint([soft, taint], [{ operator: 'Exists' }], [taint.effect])).toBeUndefined();
    expect(untoleratedTaint(undefined, undefined, [])).toBeUndefined();
  });
});

describe('node selector terms', () => {
  const node = { metadata: { name: 'a', labels: { zone: 'z1', cores: '8' } } };
  const term = (key: string, operator: string, ...values: string[]): NodeSelectorRequirement => ({
    key,
    operator,
    values,
  });

  it.each([
    [term('zone', 'In', 'z1', 'z2'), true],
    [term('zone', 'NotIn', 'z1'), false],
    [term('rack', 'NotIn', 'r1'), true],
    [term('rack', 'DoesNotExist'), true],
    [term('cores', 'Gt', '4'), true],
    [term('cores', 'Lt', '4'), false],
    [term('cores', 'Near', '8'), false],
  ])('%j: %s', (expression, expected) => {
    expect(matchesNodeSelector([{ matchExpressions: [expression] }], node)).toBe(expected);
  });

  it('are alternatives, and an empty one selects nothing', () => {
    const [hit, miss] = [term('zone', 'In', 'z1'), term('zone', 'In', 'z9')];
    expect(matchesNodeSelector([{ matchExpressions: [miss] }, { matchExpressions: [hit] }], node)).toBe(true);
    expect(matchesNodeSelector([{ matchExpressions: [hit, miss] }], node)).toBe(false);
    expect(matchesNodeSelector([{}], node)).toBe(false);
    expect(matchesNodeSelector([], node)).toBe(false);
  });

  it('can name the node itself', () => {
    expect(matchesNodeSelector([{ matchFields: [term('metadata.name', 'In', 'a')] }], node)).toBe(true);
    expect(matchesNodeSelector([{ matchFields: [term('metadata.name', 'NotIn', 'a')] }], node)).toBe(false);
  });

  it('count together with the node selector of a pod', () => {
    expect(matchesNode({}, node)).toBe(true);
    expect(matchesNode({ nodeSelector: { zone: 'z1' } }, node)).toBe(true);
    expect(matchesNode({ nodeSelector: { zone: 'z2' } }, node)).toBe(false);
    const required = { nodeSelectorTerms: [{ matchExpressions: [term('cores', 'Gt', '10')] }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    expect(matchesNode({ nodeSelector: { zone: 'z1' }, affinity }, node)).toBe(false);
  });
});
