import type { Answer } from './answer.ts';

/** Why pods wait and nodes stay. */
export const PODS_AND_NODES: readonly Answer[] = [
  {
    ask: 'Why is this half-empty node never consolidated?',
    answer:
      'The object that keeps it is named, each of the five methods has its verdict, each pod is followed to where it would go.',
    args: 'explain node general-3',
  },
  {
    ask: 'Which of all these NodePools should take my pod, and what do I have to change?',
    answer:
      'Pools come nearest miss first, each with both sides of every rule that fails. The edits were tried by packing again, and what they would cost others is said.',
    args: 'explain pod arm-build',
  },
  {
    ask: 'No instance type met the requirements: is it CPU, zone or architecture?',
    answer:
      'The types that are left after each question, what is asked for beside the most there is, limits named as limits.',
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
  {
    ask: 'The controller ran out of time. Which pods were not reached, and when is their turn?',
    answer: 'Each has its place in the next pass, which begins with them. Here a pass has time for one pod only.',
    args: 'plan --pass-time 0s',
  },
  {
    ask: 'Why this instance type, and why a new node at all?',
    answer: 'The offers that are dearer, and what refuses the pod elsewhere.',
    args: 'explain pod web-4',
  },
  {
    ask: 'Why is my pod on this node? Would it come back there?',
    answer:
      'Where it runs and at what price, what keeps it from being moved, where it would go if it were placed again.',
    args: 'explain pod db-0',
  },
];
