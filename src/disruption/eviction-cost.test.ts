import { describe, expect, it } from 'vitest';
import { pod } from '../../test/factories/index.ts';
import { ANNOTATION_POD_DELETION_COST } from '../apis/labels.ts';
import { evictionCost, rescheduleDisruptionCost } from './eviction-cost.ts';

const withCost = (cost: string) => pod({ metadata: { annotations: { [ANNOTATION_POD_DELETION_COST]: cost } } });
const withPriority = (priority: number) => pod({ spec: { priority } });

describe('evictionCost', () => {
  it('7.2.5: is one for a pod that says nothing', () => {
    expect(evictionCost(pod())).toBe(1);
  });

  it('7.2.5: moves with deletion cost and priority', () => {
    expect(evictionCost(withCost(String(2 ** 27)))).toBe(2);
    expect(evictionCost(withCost(String(-(2 ** 27))))).toBe(0);
    expect(evictionCost(withPriority(2 ** 25))).toBe(2);
  });

  it('7.2.5: stays within minus ten and ten', () => {
    expect(evictionCost(withCost('2147483647'))).toBe(10);
    expect(evictionCost(withPriority(-2147483648))).toBe(-10);
  });

  it('7.2.5: ignores a deletion cost that is not a number', () => {
    expect(evictionCost(withCost('cheap'))).toBe(1);
  });
});

describe('rescheduleDisruptionCost', () => {
  it('7.2.7: adds what pods cost to the base, and nothing for pods that cost less than nothing', () => {
    expect(rescheduleDisruptionCost([])).toBe(1);
    expect(rescheduleDisruptionCost([pod(), pod(), withPriority(-2147483648)])).toBe(3);
  });
});
