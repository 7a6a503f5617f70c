import { Disruption, METHOD_NAMES, type MethodResult } from '../disruption/index.ts';
import { isVirtualPod } from '../scheduling/buffers/virtual-pods.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { Analysis } from './analysis.ts';

/** The disruption engine on a world that nobody acts on: no command is running. Nodes of `leftAlone` count as taken. */
export function disruptionOf(analysis: Analysis, leftAlone: ReadonlySet<string> = new Set()): Disruption {
  const { reservedOfferingMode: _, enforceConsolidateAfter: __, expired: ___, ...schedule } = analysis.scheduleOptions;
  return new Disruption(analysis.world, {
    schedule,
    spotToSpotConsolidation: analysis.gates.SpotToSpotConsolidation,
    queued: leftAlone,
    bufferNodes: nodesWithRoom(analysis),
  });
}

/** Nodes that hold the room of a capacity buffer, as the next provisioning pass would see it. */
function nodesWithRoom(analysis: Analysis): ReadonlySet<string> {
  if (!analysis.world.pods.some(isVirtualPod)) return new Set();
  const { existingNodes } = analysis.plan(false);
  return new Set(existingNodes.filter(({ pods }) => pods.some(isVirtualPod)).map(({ node }) => stateNodeName(node)));
}

/** Every method's answer, in the order in which the controller tries them. */
export function runMethods(disruption: Disruption): readonly MethodResult[] {
  return METHOD_NAMES.map((name) => disruption.run(name));
}
