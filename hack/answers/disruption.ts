import type { Answer } from './answer.ts';

/** What is disrupted, when, and what holds it. */
export const DISRUPTION: readonly Answer[] = [
  {
    ask: 'What goes next, and after that? What does it save in all, and for how many pods disturbed?',
    answer:
      'Each move in the cluster that the one before it leaves, with running totals; then every node that stays, with its reason and what Karpenter says in its own event.',
    args: 'consolidate --dry-run',
  },
  {
    ask: 'Why are these two half-empty nodes never merged?',
    answer: 'What removing both at once comes to, and whether it is ever tried: only beginnings of one list are.',
    args: 'consolidate --dry-run --together --node general-1 --node general-2',
  },
  {
    ask: 'How many nodes do the budgets allow to be disrupted now, and how is that worked out?',
    answer: 'One line for each reason, at the time given with `--now`, with the arithmetic and the next change.',
    args: 'explain nodepool general',
  },
  {
    ask: 'An update drifts the whole fleet. How long does that take, and when?',
    answer: 'The pace that the budgets allow, with the windows in which they do.',
    args: 'plan --diff -f examples/office-hours.yaml',
  },
  {
    ask: 'When does this node expire, and what holds it?',
    answer:
      "Expiry is the one thing that budgets don't hold back; the PodDisruptionBudget that keeps its drain from ending is named.",
    args: 'explain nodeclaim general-3',
  },
];
