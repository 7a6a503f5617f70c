/**
 * All disruption methods on one cluster, in a process of its own: node measure-disruption.ts FILE RUNS NOW, answers with a
 * line of JSON. The methods of a run share one Disruption, as they do in the controller.
 */
import { readFileSync } from 'node:fs';
import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { WELL_KNOWN_LABELS } from '../../src/apis/labels.ts';
import { Disruption, METHOD_NAMES } from '../../src/disruption/index.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';
import { disruptOptions } from '../factories/index.ts';
import { ourMethod } from '../parity/disruption-decision.ts';
import { instanceTypesFrom } from './instance-types.ts';

const [file = '', runs = '1', now = ''] = process.argv.slice(2);
const wellKnown = new Set([...WELL_KNOWN_LABELS, ...KWOK_WELL_KNOWN_LABELS]);
const objects = [JSON.parse(readFileSync(file, 'utf8'))];
const instanceTypes = instanceTypesFrom(undefined);
const millis: number[][] = [];
let decisions: ReturnType<typeof ourMethod>[] = [];
for (let i = 0; i < Number(runs); i++) {
  const disruption = new Disruption(
    worldFromObjects(objects, { instanceTypes, now: Date.parse(now) }),
    disruptOptions(),
  );
  const times: number[] = [];
  decisions = METHOD_NAMES.map((name) => {
    const start = performance.now();
    const result = disruption.run(name);
    times.push(performance.now() - start);
    return ourMethod(result, wellKnown);
  });
  millis.push(times);
}
process.stdout.write(JSON.stringify({ millis, decisions, peakMb: process.resourceUsage().maxRSS / 1024 }));
