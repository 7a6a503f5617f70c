import type { DecidedCommand, MethodDecision } from './disruption-decision.ts';

type Decided = Pick<MethodDecision, 'method' | 'candidates' | 'budgets' | 'commands'>;

/** The same candidates, budgets and commands. */
export function same(a: Decided, b: Decided): boolean {
  const text = ({ method, candidates, budgets, commands }: Decided): string =>
    JSON.stringify([method, candidates, budgets, commands.map((c) => [c.decision, c.candidates, c.replacements])]);
  return text(a) === text(b);
}

/** Equal candidates and budgets, and commands that are as good: upstream's order is open. */
export function asGood(ours: Decided, theirs: Decided): boolean {
  return (
    JSON.stringify([ours.candidates, ours.budgets]) === JSON.stringify([theirs.candidates, theirs.budgets]) &&
    noWorseCommands(ours.commands, theirs.commands)
  );
}

/** As many commands of the same kinds, that take as many nodes for no more money. */
export function noWorseCommands(ours: readonly DecidedCommand[], theirs: readonly DecidedCommand[]): boolean {
  return (
    ours.length === theirs.length &&
    ours.every((own, i) => {
      const other = theirs[i];
      return (
        other !== undefined &&
        own.decision === other.decision &&
        own.candidates.length >= other.candidates.length &&
        own.price <= other.price + 1e-9
      );
    })
  );
}
