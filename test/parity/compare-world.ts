import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { type Results, type ScheduleOptions, solve, type World } from '../../src/scheduling/index.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';
import { catalogueFile, instanceTypes, RESERVATION_ID } from './catalogues.ts';
import { type Decision, noWorse, ourDecision, sameDecision, upstreamDecision } from './decision.ts';
import type { Oracle, UpstreamSolve } from './oracle.ts';
import type { RandomWorld } from './random-world.ts';
import { ourSides, sideDifferences, upstreamSides } from './side-decisions.ts';

/** A fixed time, so that no run depends on the day. */
export const NOW = '2026-12-01T00:00:00Z';
const MORE_RUNS = 9;
/** Before a decision is called different. */
const MANY_RUNS = 40;

const WELL_KNOWN: ReadonlySet<string> = new Set([...KWOK_WELL_KNOWN_LABELS, RESERVATION_ID]);
const BUILT_IN = ['topology.kubernetes.io/zone', 'karpenter.sh/capacity-type', RESERVATION_ID];
const RULES = { wellKnownLabels: WELL_KNOWN, restrictedLabelDomains: new Set(['karpenter.kwok.sh']) };

export type Verdict =
  /** A decision that upstream makes. */
  | 'equal'
  /** Another one, but not while the faults that differences.md lists are kept. */
  | 'listed'
  /** Another one, that leaves no more pods unplaced and costs no more than one of upstream's. */
  | 'equivalent'
  | 'different';

export interface Comparison {
  readonly verdict: Verdict;
  readonly ours: Decision;
  readonly theirs: readonly Decision[];
  /** Upstream's answers are all the same, so that chance has no part in them. */
  readonly steady: boolean;
  /** What is decided otherwise beside the placement of pods, line by line. */
  readonly aside: readonly string[];
  /** Why pods didn't take part. */
  readonly rejections: {
    readonly ours: Readonly<Record<string, string>>;
    readonly theirs: readonly Readonly<Record<string, string>>[];
  };
}

function frozenWorld({ objects, catalogue, gates = {} }: RandomWorld): World {
  return worldFromObjects(objects, {
    instanceTypes: instanceTypes(catalogue),
    now: Date.parse(NOW),
    ...(gates.nodeOverlay ? { overlayRules: RULES } : {}),
    buffers: gates.capacityBuffer ?? false,
  });
}

function decide(world: RandomWorld, frozen: World, keepKnownFaults = false): Results {
  const options: ScheduleOptions = {
    preferencePolicy: world.preferencePolicy,
    minValuesPolicy: world.minValuesPolicy,
    reservedOfferingMode: 'Strict',
    reservedCapacity: true,
    enforceConsolidateAfter: false,
    ignoreDRARequests: true,
    reasons: false,
    keepKnownFaults,
    reservationIDLabel: RESERVATION_ID,
    ...RULES,
  };
  return solve(frozen, 'provisionable', options);
}

const decisionOf = (results: Results): Decision => ourDecision(results, new Set([...WELL_KNOWN, ...BUILT_IN]));

/** Asks both; where upstream's answer differs, asks it nine more times, since it leaves much to chance. */
export async function compareWorld(world: RandomWorld, oracle: Oracle): Promise<Comparison> {
  const frozen = frozenWorld(world);
  const results = decide(world, frozen);
  const ours = decisionOf(results);
  const answers: UpstreamSolve[] = [];
  const theirs: Decision[] = [];
  const ask = async (runs: number): Promise<void> => {
    const instanceTypesFile = catalogueFile(world.catalogue);
    const more = await oracle.solve({
      world: { apiVersion: 'v1', kind: 'List', items: world.objects },
      now: NOW,
      ...(instanceTypesFile ? { instanceTypes: instanceTypesFile } : {}),
      preferencePolicy: world.preferencePolicy,
      minValuesPolicy: world.minValuesPolicy,
      ...world.gates,
      runs,
    });
    answers.push(...more);
    theirs.push(...more.map(upstreamDecision));
  };
  const equal = (): UpstreamSolve[] => answers.filter((_, i) => theirs[i] && sameDecision(ours, theirs[i]));
  await ask(1);
  if (equal().length === 0) await ask(MORE_RUNS);
  const verdict = (): Verdict => verdictOf(world, frozen, ours, theirs);
  if (verdict() === 'different') await ask(MANY_RUNS);
  const same = equal();
  const sides = await ourSides(world, frozen, results, RULES);
  const theirSides = (same.length > 0 ? same : answers).map(upstreamSides);
  const aside = sideDifferences(sides, theirSides, same.length > 0);
  const rejections = { ours: sides.rejected, theirs: theirSides.map(({ rejected }) => rejected) };
  const steady = theirs.every((decision) => theirs[0] && sameDecision(theirs[0], decision));
  return { verdict: aside.length > 0 ? 'different' : verdict(), ours, theirs, steady, aside, rejections };
}

function verdictOf(world: RandomWorld, frozen: World, ours: Decision, theirs: readonly Decision[]): Verdict {
  const isAmongTheirs = (own: Decision): boolean => theirs.some((decision) => sameDecision(own, decision));
  const isAsGood = (own: Decision): boolean => theirs.some((decision) => noWorse(own, decision));
  if (isAmongTheirs(ours)) return 'equal';
  const faulty = decisionOf(decide(world, frozen, true));
  if (isAmongTheirs(faulty)) return 'listed';
  if (isAsGood(ours)) return 'equivalent';
  return isAsGood(faulty) ? 'listed' : 'different';
}
