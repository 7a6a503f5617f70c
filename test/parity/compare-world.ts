import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { toInstanceType } from '../../kwok-provider/instance-types/index.ts';
import { type InstanceType, type ScheduleOptions, solve } from '../../src/scheduling/index.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';
import { catalogueFile, genericCatalogue, reservedCatalogue } from './catalogues.ts';
import { type Decision, noWorse, ourDecision, sameDecision, upstreamDecision } from './decision.ts';
import type { Oracle } from './oracle.ts';
import type { RandomWorld } from './random-world.ts';

/** A fixed time, so that no run depends on the day. */
export const NOW = '2026-12-01T00:00:00Z';
const MORE_RUNS = 9;

const WELL_KNOWN: ReadonlySet<string> = new Set([...KWOK_WELL_KNOWN_LABELS, 'karpenter.kwok.sh/reservation-id']);
const RESERVATION_ID = 'karpenter.kwok.sh/reservation-id';
const types = {
  generic: genericCatalogue().map(toInstanceType),
  reserved: reservedCatalogue().map(toInstanceType),
} satisfies Record<string, readonly InstanceType[]>;

export type Verdict =
  /** A decision that upstream makes. */
  | 'equal'
  /** Another one, that leaves no more pods unplaced and costs no more than one of upstream's. */
  | 'equivalent'
  /** Different, but not while the faults that differences.md lists are kept. */
  | 'listed'
  | 'different';

export interface Comparison {
  readonly verdict: Verdict;
  readonly ours: Decision;
  readonly theirs: readonly Decision[];
}

function ourAnswer(
  world: Pick<RandomWorld, 'objects' | 'preferencePolicy' | 'minValuesPolicy' | 'catalogue'>,
  keepKnownFaults = false,
): Decision {
  const options: ScheduleOptions = {
    preferencePolicy: world.preferencePolicy,
    minValuesPolicy: world.minValuesPolicy,
    reservedOfferingMode: 'Strict',
    reservedCapacity: true,
    enforceConsolidateAfter: false,
    ignoreDRARequests: true,
    reasons: false,
    keepKnownFaults,
    wellKnownLabels: WELL_KNOWN,
    reservationIDLabel: RESERVATION_ID,
    restrictedLabelDomains: new Set(['karpenter.kwok.sh']),
  };
  const frozen = worldFromObjects(world.objects, { instanceTypes: types[world.catalogue], now: Date.parse(NOW) });
  return ourDecision(solve(frozen, 'provisionable', options), new Set([...WELL_KNOWN, ...BUILT_IN]));
}

const BUILT_IN = ['topology.kubernetes.io/zone', 'karpenter.sh/capacity-type', RESERVATION_ID];

/** Asks both; where upstream's answer differs, asks it nine more times, since it leaves much to chance. */
export async function compareWorld(world: RandomWorld, oracle: Oracle): Promise<Comparison> {
  const ours = ourAnswer(world);
  const ask = async (runs: number): Promise<Decision[]> => {
    const answers = await oracle.solve({
      world: { apiVersion: 'v1', kind: 'List', items: world.objects },
      now: NOW,
      ...(world.catalogue === 'reserved' ? { instanceTypes: catalogueFile() } : {}),
      preferencePolicy: world.preferencePolicy,
      minValuesPolicy: world.minValuesPolicy,
      runs,
    });
    return answers.map(upstreamDecision);
  };
  const theirs = await ask(1);
  if (theirs.some((decision) => sameDecision(ours, decision))) return { verdict: 'equal', ours, theirs };
  theirs.push(...(await ask(MORE_RUNS)));
  if (theirs.some((decision) => sameDecision(ours, decision))) return { verdict: 'equal', ours, theirs };
  if (theirs.some((decision) => noWorse(ours, decision))) return { verdict: 'equivalent', ours, theirs };
  const faulty = ourAnswer(world, true);
  const explained = theirs.some((decision) => sameDecision(faulty, decision) || noWorse(faulty, decision));
  return { verdict: explained ? 'listed' : 'different', ours, theirs };
}
