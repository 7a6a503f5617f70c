/**
 * One case in a process of its own, so that its memory is its own: node measure-solve.ts FILE RUNS [INSTANCE_TYPES], answers
 * with a line of JSON. What is timed is everything from a world of objects to the decision; reading the file is not.
 */
import { readFileSync } from 'node:fs';
import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { type ScheduleOptions, solve } from '../../src/scheduling/index.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';
import { totalPrice } from '../parity/decision.ts';
import { instanceTypesFrom } from './instance-types.ts';

const [file = '', runs = '1', typesFile] = process.argv.slice(2);
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
const types = instanceTypesFrom(typesFile);
const millis: number[] = [];
let last: ReturnType<typeof solve> | undefined;
for (let i = 0; i < Number(runs); i++) {
  const world = worldFromObjects(objects, { instanceTypes: types, now: Date.now() });
  const start = performance.now();
  last = solve(world, 'provisionable', options);
  millis.push(performance.now() - start);
}
const claims = last?.newNodeClaims ?? [];
const known = new Set([...wellKnown, 'topology.kubernetes.io/zone', 'karpenter.sh/capacity-type']);
process.stdout.write(
  JSON.stringify({
    millis,
    nodes: claims.length,
    placed: claims.reduce((sum, { pods }) => sum + pods.length, 0),
    price: totalPrice(claims, known),
    peakMb: process.resourceUsage().maxRSS / 1024,
  }),
);
