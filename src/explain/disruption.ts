import { Disruption, METHOD_NAMES, type MethodResult } from '../disruption/index.ts';
import type { Analysis } from './analysis.ts';

/** The disruption engine on a world that nobody acts on: no command is running. */
export function disruptionOf(analysis: Analysis): Disruption {
  const { reservedOfferingMode: _, enforceConsolidateAfter: __, expired: ___, ...schedule } = analysis.scheduleOptions;
  return new Disruption(analysis.world, {
    schedule,
    spotToSpotConsolidation: analysis.gates.SpotToSpotConsolidation,
    staticCapacity: analysis.gates.StaticCapacity,
    queued: new Set(),
    bufferNodes: new Set(),
  });
}

/** Every method's answer, in the order in which the controller tries them. */
export function runMethods(disruption: Disruption): readonly MethodResult[] {
  return METHOD_NAMES.map((name) => disruption.run(name));
}
