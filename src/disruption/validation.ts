/** A second look at a command after the wait, on a fresh world (karpenter-core.md 7.6.3, 7.11.7). */
import { stateNodeName } from '../scheduling/state-node.ts';
import type { StateNode } from '../scheduling/types.ts';
import type { Candidate } from './candidate.ts';
import type { MethodContext } from './method.ts';
import { describeHomeless, type SimulationOutcome } from './simulation.ts';
import type { Command } from './types.ts';

export interface ValidationFailure {
  /** The reason label of upstream's ConsolidationRejected events and of failed_validations_total. */
  readonly failure: 'budget' | 'scheduling' | 'churn';
  readonly message: string;
}

type Validated = { readonly command: Command } | ValidationFailure;

const CHANGED: ValidationFailure = { failure: 'scheduling', message: 'scheduling simulation produced new results' };

/** `current` are the method's candidates now, `budgets` what is left by pool. */
export function validateCommand(
  command: Command,
  current: readonly Candidate[],
  budgets: Map<string, number>,
  context: MethodContext,
): Validated {
  const names = new Set(command.candidates.map(stateNodeName));
  const valid = current.filter((c) => names.has(c.name));
  const lost = names.size - valid.length;
  if (command.method === 'Emptiness') return validateEmptiness(command, valid, budgets);
  if (lost > 0) return { failure: 'churn', message: `${lost} candidates are no longer valid` };
  for (const candidate of valid) {
    if (!take(candidate, budgets)) {
      return { failure: 'budget', message: 'a candidate can no longer be disrupted without violating budgets' };
    }
  }
  return validatePacking(command, valid, context);
}

function take(candidate: Candidate, budgets: Map<string, number>): boolean {
  const pool = candidate.nodePool.metadata.name;
  const left = budgets.get(pool) ?? 0;
  budgets.set(pool, left - 1);
  return left > 0;
}

/** Whatever is still empty and affordable goes; the rest is left out. */
function validateEmptiness(command: Command, valid: readonly Candidate[], budgets: Map<string, number>): Validated {
  const count = command.candidates.length;
  if (valid.length === 0) return { failure: 'churn', message: `${count} candidates are no longer valid` };
  const kept = valid.filter((candidate) => take(candidate, budgets));
  if (kept.length === 0) {
    const message = `${count} candidates failed validation because it they were nominated for a pod or would violate disruption budgets`;
    return { failure: 'budget', message };
  }
  return {
    command: {
      ...command,
      candidates: kept.map((c) => c.node),
      savings: kept.reduce((sum, c) => sum + c.price, 0),
    },
  };
}

/** As the command was found: where the packer makes several nodes of what one node of one pool can hold, by that. */
function simulateAgain(command: Command, nodes: readonly StateNode[], context: MethodContext): SimulationOutcome {
  const outcome = context.simulate(nodes, true);
  const [replacement, ...others] = command.replacements;
  if (!replacement || others.length > 0 || outcome.newNodeClaims.length < 2) return outcome;
  if (context.options.schedule.keepKnownFaults) return outcome;
  return context.simulate(nodes, true, replacement.nodePool.metadata.name);
}

/** The pods must still find their places, on as many new nodes as before and of types that still do. */
function validatePacking(command: Command, valid: readonly Candidate[], context: MethodContext): Validated {
  const nodes = valid.map((c) => c.node);
  const outcome = simulateAgain(command, nodes, context);
  if (outcome.homeless.size > 0) return { failure: 'scheduling', message: describeHomeless(outcome.homeless) };
  if (outcome.newNodeClaims.length !== command.replacements.length) return CHANGED;
  const [wanted] = command.replacements;
  const [possible] = outcome.newNodeClaims;
  if (wanted && possible) {
    const names = new Set(possible.instanceTypes.map((type) => type.name));
    if (!wanted.instanceTypes.every((type) => names.has(type.name))) return CHANGED;
  }
  return { command: { ...command, candidates: nodes, placements: outcome.placements } };
}
