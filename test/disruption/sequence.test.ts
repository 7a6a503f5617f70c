/** Command after command, as `consolidate --dry-run` looks ahead: whatever the cluster, the worlds in between make sense. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { genericInstanceTypes, toInstanceType } from '../../kwok-provider/instance-types/index.ts';
import { applyCommand, type Command, Disruption, METHOD_NAMES } from '../../src/disruption/index.ts';
import { podRequests } from '../../src/kube/pod-requests.ts';
import { isTerminal } from '../../src/kube/pods.ts';
import { isReschedulable } from '../../src/scheduling/pod-lifecycle.ts';
import { fits, toResources } from '../../src/scheduling/resource-list.ts';
import { stateNodeName } from '../../src/scheduling/state-node.ts';
import type { World } from '../../src/scheduling/types.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';
import { disruptOptions } from '../factories/index.ts';
import { randomFleet } from '../parity/random-fleet.ts';

const NOW = Date.parse('2026-12-01T00:00:00Z');
const instanceTypes = genericInstanceTypes().map(toInstanceType);
const options = disruptOptions({ spotToSpotConsolidation: true });

function next(world: World): Command | undefined {
  const disruption = new Disruption(world, options);
  for (const name of METHOD_NAMES) {
    const [command] = disruption.run(name).commands;
    if (command) return command;
  }
  return undefined;
}

const living = ({ pods }: World): string[] =>
  pods
    .filter(isReschedulable)
    .map((pod) => pod.metadata.name)
    .sort();

/** Nodes that hold more than they have. */
function overfull({ nodes, pods }: World): string[] {
  return nodes.flatMap(({ node }) => {
    if (!node) return [];
    const total: Record<string, number> = {};
    for (const pod of pods) {
      if (pod.spec.nodeName !== node.metadata.name || isTerminal(pod)) continue;
      for (const [name, amount] of Object.entries(podRequests(pod))) total[name] = (total[name] ?? 0) + amount;
    }
    return fits(total, toResources(node.status?.allocatable)) ? [] : [node.metadata.name];
  });
}

describe('one command after the other', () => {
  it('comes to an end, loses no pod, overfills no node, and saves whenever it consolidates', () => {
    fc.assert(
      fc.property(fc.nat({ max: 100_000 }), (seed) => {
        let world: World = worldFromObjects(randomFleet(seed, 'mixed').objects, { instanceTypes, now: NOW });
        const pods = living(world);
        const full = overfull(world);
        let steps = 0;
        for (let command = next(world); command; command = next(world)) {
          expect(++steps, 'steps').toBeLessThan(60);
          if (command.reason === 'Underutilized') expect(command.savings).toBeGreaterThan(0);
          world = applyCommand(world, command);
          const nodes = new Set(world.nodes.map(stateNodeName));
          expect(command.candidates.map(stateNodeName).filter((name) => nodes.has(name))).toEqual([]);
          expect(living(world)).toEqual(pods);
          expect(overfull(world).filter((name) => !full.includes(name))).toEqual([]);
          const bound = world.pods.flatMap(({ spec }) => (spec.nodeName ? [spec.nodeName] : []));
          expect(bound.filter((name) => !nodes.has(name))).toEqual([]);
        }
      }),
      { numRuns: 60, seed: 1 },
    );
  });
});
