/** A scan prepares once what all its questions share; none of the answers may show it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { genericInstanceTypes, toInstanceType } from '../../kwok-provider/instance-types/index.ts';
import { type Command, Disruption, METHOD_NAMES, type NodeVerdict } from '../../src/disruption/index.ts';
import { stateNodeName } from '../../src/scheduling/state-node.ts';
import type { World } from '../../src/scheduling/types.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';
import { disruptOptions } from '../factories/index.ts';
import { randomFleet } from '../parity/random-fleet.ts';

const NOW = Date.parse('2026-12-01T00:00:00Z');
const instanceTypes = genericInstanceTypes().map(toInstanceType);
const options = disruptOptions({ spotToSpotConsolidation: true });

function fleet(seed: number): World {
  return worldFromObjects(randomFleet(seed, 'mixed').objects, { instanceTypes, now: NOW });
}

/** All that a command says, in plain data. */
function told({ candidates, replacements, ...rest }: Command): unknown {
  return {
    ...rest,
    candidates: candidates.map(stateNodeName),
    replacements: replacements.map((claim) => ({
      ...claim,
      nodePool: claim.nodePool.metadata.name,
      pods: claim.pods.map((pod) => pod.metadata.name),
      instanceTypes: claim.instanceTypes.map((type) => type.name),
      requirements: claim.requirements.toItems(),
    })),
  };
}

function toldOf(verdict: NodeVerdict): unknown {
  return verdict.command ? told(verdict.command) : verdict.blockers;
}

function methods(disruption: Disruption): unknown[] {
  return METHOD_NAMES.map((name) => {
    const { commands, ...rest } = disruption.run(name);
    return { ...rest, commands: commands.map(told) };
  });
}

const seeds = fc.nat({ max: 100_000 });

describe('a scan of a cluster', () => {
  it('says of each node what a look at that node alone says, in whatever order', () => {
    fc.assert(
      fc.property(seeds, fc.infiniteStream(fc.nat()), (seed, keys) => {
        const world = fleet(seed);
        const order = world.nodes.map((node) => [keys.next().value ?? 0, stateNodeName(node)] as const);
        const shared = new Disruption(world, options);
        for (const [, name] of order.sort(([a], [b]) => a - b)) {
          expect(toldOf(shared.verdict(name)), name).toEqual(toldOf(new Disruption(world, options).verdict(name)));
        }
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it('leaves no trace in what the methods decide afterwards', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const world = fleet(seed);
        const scanned = new Disruption(world, options);
        for (const node of world.nodes) scanned.verdict(stateNodeName(node));
        expect(methods(scanned)).toEqual(methods(new Disruption(world, options)));
      }),
      { numRuns: 40, seed: 1 },
    );
  });
});
