/** One case in a process of its own, so that its memory is its own: node measure-solve.ts FILE RUNS, answers with a line of JSON. */
import { readFileSync } from 'node:fs';
import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { genericInstanceTypes, toInstanceType } from '../../kwok-provider/instance-types/index.ts';
import { type ScheduleOptions, solve } from '../../src/scheduling/index.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';
import { totalPrice } from '../parity/decision.ts';

const [file = '', runs = '1'] = process.argv.slice(2);
const wellKnown = new Set(KWOK_WELL_KNOWN_LABELS);
const options: ScheduleOptions = {
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  reservedOfferingMode: 'Strict',
  reservedCapacity: true,
  enforceConsolidateAfter: false,
  ignoreDRARequests: true,
  reasons: false,
  wellKnownLabels: wellKnown,
};
const objects = [JSON.parse(readFileSync(file, 'utf8'))];
const types = genericInstanceTypes().map(toInstanceType);
const millis: number[] = [];
let last: ReturnType<typeof solve> | undefined;
for (let i = 0; i < Number(runs); i++) {
  const world = worldFromObjects(objects, { instanceTypes: types, now: Date.now() });
  const start = performance.now();
  last = solve(world, 'provisionable', options);
  millis.push(performance.now() - start);
}
const known = new Set([...wellKnown, 'topology.kubernetes.io/zone', 'karpenter.sh/capacity-type']);
process.stdout.write(
  JSON.stringify({
    millis,
    nodes: last?.newNodeClaims.length ?? 0,
    unplaced: last?.podErrors.size ?? 0,
    price: totalPrice(last?.newNodeClaims ?? [], known),
    peakMb: process.resourceUsage().maxRSS / 1024,
  }),
);
