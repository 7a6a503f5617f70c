import type { Command } from '../disruption/index.ts';
import { isTerminal } from '../kube/pods.ts';
import { isReschedulable } from '../scheduling/pod-lifecycle.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { World } from '../scheduling/types.ts';
import { monthly } from './monthly.ts';
import { type PlannedClaimReport, plannedClaimReport } from './plan-report.ts';

export interface DisruptionCommandReport {
  readonly method: string;
  readonly decision: string;
  readonly reason: string;
  /** Node names, sorted. */
  readonly candidates: readonly string[];
  readonly replacements: readonly PlannedClaimReport[];
  /** Existing node → pods that would move there. */
  readonly placements: Readonly<Record<string, readonly string[]>>;
  /** Pods on the candidates that would be evicted and need a new place. */
  readonly podsDisrupted: number;
  readonly savings: Savings;
}

/** In the currency of the instance types' prices. */
export interface Savings {
  readonly hourly: number;
  /** Of 730 hours. */
  readonly monthly: number;
  /** Per hour and pod disrupted; null when no pod is. */
  readonly hourlyPerPod: number | null;
}

export const NO_SAVINGS: Savings = { hourly: 0, monthly: 0, hourlyPerPod: null };

/** What a report about a command needs to know of the world. */
export interface CommandContext {
  readonly wellKnown: ReadonlySet<string>;
  /** Node → pods on it that need a new place when it goes. */
  readonly movable: ReadonlyMap<string, number>;
}

export function commandContext(world: Pick<World, 'pods'>, wellKnown: ReadonlySet<string>): CommandContext {
  const movable = new Map<string, number>();
  for (const pod of world.pods) {
    const node = pod.spec.nodeName;
    if (node && !isTerminal(pod) && isReschedulable(pod)) movable.set(node, (movable.get(node) ?? 0) + 1);
  }
  return { wellKnown, movable };
}

export function commandReport(command: Command, { wellKnown, movable }: CommandContext): DisruptionCommandReport {
  const candidates = command.candidates.map(stateNodeName).sort();
  const pods = candidates.reduce((sum, name) => sum + (movable.get(name) ?? 0), 0);
  const hourly = command.savings;
  return {
    method: command.method,
    decision: command.decision,
    reason: command.reason,
    candidates,
    replacements: command.replacements.map((claim) => plannedClaimReport(claim, wellKnown)),
    placements: Object.fromEntries(command.placements),
    podsDisrupted: pods,
    savings: { hourly, monthly: monthly(hourly), hourlyPerPod: pods > 0 ? hourly / pods : null },
  };
}
