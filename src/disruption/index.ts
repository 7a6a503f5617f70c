export { applyCommand } from './apply-command.ts';
export { BALANCED_K } from './balanced.ts';
export { withoutOtherMethods } from './blockers.ts';
export { budgetProblem } from './budgets.ts';
export { Disruption, METHOD_NAMES, type MergeVerdict, type NodeVerdict } from './disruption.ts';
export { evictionCost } from './eviction-cost.ts';
export type { SimulationOutcome } from './simulation.ts';
export type * from './types.ts';
