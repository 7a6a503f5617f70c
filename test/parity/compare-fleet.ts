import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { genericInstanceTypes, toInstanceType } from '../../kwok-provider/instance-types/index.ts';
import { WELL_KNOWN_LABELS } from '../../src/apis/labels.ts';
import { Disruption, METHOD_NAMES } from '../../src/disruption/index.ts';
import type { InstanceType } from '../../src/scheduling/index.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';
import { disruptOptions } from '../factories/index.ts';
import { NOW, type Verdict } from './compare-world.ts';
import { type MethodDecision, ourMethod, type UpstreamDisruption, upstreamMethods } from './disruption-decision.ts';
import type { Oracle } from './oracle.ts';
import type { randomFleet } from './random-fleet.ts';

const types: readonly InstanceType[] = genericInstanceTypes().map(toInstanceType);
const wellKnown: ReadonlySet<string> = new Set([...WELL_KNOWN_LABELS, ...KWOK_WELL_KNOWN_LABELS]);
/** Upstream's order of pools is that of a small Go map, which favours the first: one in eight runs has another. */
const MORE_RUNS = 60;

export interface FleetComparison {
  readonly verdict: Verdict;
  readonly ours: readonly MethodDecision[];
  /** Methods whose decision none of upstream's runs made or was as good as. */
  readonly differences: readonly { readonly ours: MethodDecision; readonly theirs: readonly MethodDecision[] }[];
}

type Fleet = ReturnType<typeof randomFleet>;

function ourMethods(fleet: Fleet, keepKnownFaults = false): MethodDecision[] {
  const world = worldFromObjects(fleet.objects, { instanceTypes: types, now: Date.parse(NOW) });
  const options = disruptOptions();
  const disruption = new Disruption(world, {
    ...options,
    schedule: { ...options.schedule, preferencePolicy: fleet.preferencePolicy, keepKnownFaults },
    spotToSpotConsolidation: fleet.spotToSpot,
  });
  return METHOD_NAMES.map((name) => ourMethod(disruption.run(name), wellKnown));
}

/** All five methods on both sides; where chance may have decided upstream's answer, it is asked again and again. */
export async function compareFleet(fleet: Fleet, oracle: Oracle): Promise<FleetComparison> {
  const ask = async (): Promise<MethodDecision[]> => {
    const answer = await oracle.ask({
      command: 'disrupt',
      world: { apiVersion: 'v1', kind: 'List', items: fleet.objects },
      now: NOW,
      preferencePolicy: fleet.preferencePolicy,
      spotToSpot: fleet.spotToSpot,
    });
    if (!answer.disrupt) throw new Error(`upstream failed: ${answer.error}`);
    return upstreamMethods(answer.disrupt as UpstreamDisruption);
  };
  const ours = ourMethods(fleet);
  const runs = [await ask()];
  const theirs = (position: number): MethodDecision[] => runs.flatMap((run) => run[position] ?? []);
  const unmatched = (): number[] => ours.flatMap((own, i) => (theirs(i).some((t) => same(own, t)) ? [] : [i]));
  for (let i = 0; i < MORE_RUNS && unmatched().length > 0; i++) runs.push(await ask());
  const left = unmatched();
  const differences = left.flatMap((i) => {
    const own = ours[i];
    return own && !theirs(i).some((t) => asGood(own, t)) ? [{ ours: own, theirs: theirs(i) }] : [];
  });
  if (differences.length > 0) {
    const faulty = ourMethods(fleet, true);
    const explained = left.every((i) => {
      const kept = faulty[i];
      return kept && theirs(i).some((t) => same(kept, t) || asGood(kept, t));
    });
    return { verdict: explained ? 'listed' : 'different', ours, differences: explained ? [] : differences };
  }
  return { verdict: left.length > 0 ? 'equivalent' : 'equal', ours, differences };
}

/** The same candidates, budgets and commands. */
export function same(a: MethodDecision, b: MethodDecision): boolean {
  const text = ({ method, candidates, budgets, commands }: MethodDecision): string =>
    JSON.stringify([method, candidates, budgets, commands.map((c) => [c.decision, c.candidates, c.replacements])]);
  return text(a) === text(b);
}

/** Equal candidates and budgets, and commands that take as many nodes for no more money: upstream's order is open. */
export function asGood(ours: MethodDecision, theirs: MethodDecision): boolean {
  return (
    JSON.stringify([ours.candidates, ours.budgets]) === JSON.stringify([theirs.candidates, theirs.budgets]) &&
    ours.commands.length === theirs.commands.length &&
    ours.commands.every((own, i) => {
      const other = theirs.commands[i];
      return (
        other !== undefined &&
        own.decision === other.decision &&
        own.candidates.length >= other.candidates.length &&
        own.price <= other.price + 1e-9
      );
    })
  );
}
