import type { Answer } from './answer.ts';

/** Why pods wait and nodes stay. */
export const PODS_AND_NODES: readonly Answer[] = [
  {
    ask: 'Why is this half-empty node never consolidated?',
    answer: 'The object that keeps it is named, and each of its pods is followed to where it would go.',
    args: 'explain node general-3',
  },
  {
    ask: 'Which of all these NodePools should take my pod, and what do I have to change?',
    answer: 'Pools come nearest miss first, each with both sides of the rule. The edits were tried by packing again.',
    args: 'explain pod arm-build',
  },
  {
    ask: 'No instance type met the requirements: is it CPU, zone or architecture?',
    answer: 'The types that are left after each step, and limits named as limits.',
    args: 'explain pod huge',
  },
  {
    ask: 'My label value is refused. Is the typo mine?',
    answer: 'The nearest known value, tried.',
    args: 'explain pod gpu-job',
  },
  {
    ask: 'Why is nothing said about my pending pod?',
    answer: 'Every pending pod has a line: a new node, room on a node that is there, or the rule in the way.',
    args: 'plan',
  },
];
