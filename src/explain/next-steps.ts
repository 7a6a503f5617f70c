import { applyCommand } from '../disruption/apply-command.ts';
import { type Command, METHOD_NAMES } from '../disruption/index.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { World } from '../scheduling/types.ts';
import type { Analysis } from './analysis.ts';
import { commandContext, commandReport, type DisruptionCommandReport } from './command-report.ts';
import { disruptionOf } from './disruption.ts';
import { monthly } from './monthly.ts';
import { shareSaved, type Threshold } from './threshold.ts';

/** One command after the other, each in the world that the one before it leaves. */
export interface StepReport {
  readonly command: DisruptionCommandReport;
  /** Of this step and all before it. */
  readonly total: StepTotals;
}

export interface StepTotals {
  /** Dollars an hour. */
  readonly hourly: number;
  readonly monthly: number;
  readonly podsDisrupted: number;
  readonly nodesRemoved: number;
  readonly nodesLaunched: number;
}

export interface NextSteps {
  readonly steps: readonly StepReport[];
  /** Nothing is left to do after the last step; otherwise the limit was reached. */
  readonly finished: boolean;
}

export interface StepsQuestion {
  readonly analysis: Analysis;
  readonly limit: number;
  /** Consolidation that saves less is left out, and its nodes with it. */
  readonly atLeast?: Threshold | undefined;
  /** Hears of every step. */
  readonly onStep?: (done: number) => void;
}

/** What the controller would do, step by step, until nothing is left: as if every command had finished before the next. */
export function nextSteps({ analysis, limit, atLeast, onStep }: StepsQuestion): NextSteps {
  const steps: StepReport[] = [];
  const leftAlone = new Set<string>();
  let world = analysis.world;
  let total: StepTotals = { hourly: 0, monthly: 0, podsDisrupted: 0, nodesRemoved: 0, nodesLaunched: 0 };
  for (;;) {
    const here = analysis.of(world);
    const command = firstCommand(here, leftAlone);
    if (!command) return { steps, finished: true };
    const report = commandReport(command, commandContext(world, analysis.wellKnown));
    if (atLeast && report.reason !== 'Drifted' && shareSaved(report, atLeast) < atLeast.value) {
      for (const node of command.candidates) leftAlone.add(stateNodeName(node));
      continue;
    }
    if (steps.length >= limit) return { steps, finished: false };
    const after = applyCommand(world, command);
    total = added(total, report, launched(world, after));
    steps.push({ command: report, total });
    world = after;
    onStep?.(steps.length);
  }
}

function firstCommand(analysis: Analysis, leftAlone: ReadonlySet<string>): Command | undefined {
  const disruption = disruptionOf(analysis, leftAlone);
  for (const name of METHOD_NAMES) {
    const [command] = disruption.run(name).commands;
    if (command) return command;
  }
  return undefined;
}

function added(
  total: StepTotals,
  { savings, podsDisrupted, candidates }: DisruptionCommandReport,
  nodesLaunched: number,
) {
  const hourly = total.hourly + savings.hourly;
  return {
    hourly,
    monthly: monthly(hourly),
    podsDisrupted: total.podsDisrupted + podsDisrupted,
    nodesRemoved: total.nodesRemoved + candidates.length,
    nodesLaunched: total.nodesLaunched + nodesLaunched,
  };
}

function launched(before: World, after: World): number {
  const known = new Set(before.nodes.map(stateNodeName));
  return after.nodes.filter((node) => !known.has(stateNodeName(node))).length;
}
