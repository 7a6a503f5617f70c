import type { Answer } from './answer.ts';

/** What an edit or a move would do, and what things cost. */
export const WHAT_IF: readonly Answer[] = [
  {
    ask: 'What would happen to the pods if this node went?',
    answer: 'Where each pod goes, what is launched instead, and what it saves an hour, a month and a pod.',
    args: 'consolidate --dry-run --node general-1',
  },
  {
    ask: 'What does the cluster cost now? Can I look at it without touching it?',
    answer: 'Save it once with `snapshot`; every command that reads takes `--from`.',
    args: 'status',
  },
  {
    ask: 'What will this NodePool edit do before I apply it, and which field drifts?',
    answer: 'Fields, nodes that drift with what they have and what is asked, the pace of the budget, cost. It exits 3.',
    args: 'plan --diff -f examples/edited-pool.yaml',
  },
  {
    ask: 'What does it cost if I pay less than the list says?',
    answer: 'An overlay with your prices, tried before it is applied; all other commands then count with them.',
    args: 'plan --diff -f examples/own-prices.yaml',
  },
  {
    ask: 'What would headroom for eight more pods cost?',
    answer: 'A CapacityBuffer, tried before it is applied.',
    args: 'plan --diff -f examples/headroom.yaml',
  },
  {
    ask: 'Is this NodePool any good? It was accepted, and nothing ever starts.',
    answer: 'The requirement that leaves no instance type is named, and nodes whose pods would have no place stay.',
    args: 'plan --diff -f examples/impossible-pool.yaml',
  },
  {
    ask: 'What happens if I delete this NodePool?',
    answer: 'Its nodes go at once, whatever budgets say; pods that only it can take are named.',
    args: 'plan --diff --delete nodepool/batch',
  },
  {
    ask: 'Which instance types can this pool buy, what is left of its limits, and what waits on it?',
    answer: 'The pool as the algorithm sees it.',
    args: 'explain nodepool batch',
  },
  {
    ask: 'Can it leave alone what saves only pennies?',
    answer: 'A threshold in dollars an hour or as a share of the price; what falls below it is listed as such.',
    args: 'consolidate --dry-run --min-savings 60%',
  },
];
