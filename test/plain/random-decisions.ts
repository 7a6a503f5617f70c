/** Random worlds, decided by any packer, in a form in which two decisions can be compared. */
import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import type { KubeObject, Pod } from '../../src/kube/objects.ts';
import type { Packer, Results, ScheduleOptions } from '../../src/scheduling/index.ts';
import { worldFromObjects } from '../../src/state/world-from-objects.ts';
import { instanceTypes, RESERVATION_ID } from '../parity/catalogues.ts';
import { ourDecision } from '../parity/decision.ts';
import type { RandomWorld } from '../parity/random-world.ts';

const NOW = Date.parse('2026-12-01T00:00:00Z');
const WELL_KNOWN: ReadonlySet<string> = new Set([...KWOK_WELL_KNOWN_LABELS, RESERVATION_ID]);

function optionsOf(world: RandomWorld): ScheduleOptions {
  return {
    preferencePolicy: world.preferencePolicy,
    minValuesPolicy: world.minValuesPolicy,
    reservedOfferingMode: world.seed % 4 === 0 ? 'Fallback' : 'Strict',
    reservedCapacity: true,
    enforceConsolidateAfter: false,
    ignoreDRARequests: true,
    reasons: false,
    wellKnownLabels: WELL_KNOWN,
    reservationIDLabel: RESERVATION_ID,
    restrictedLabelDomains: new Set(['karpenter.kwok.sh']),
  };
}

/** @param objects in place of the world's own */
export function decide(solve: Packer, world: RandomWorld, objects: readonly KubeObject[] = world.objects): Results {
  const frozen = worldFromObjects(objects, { instanceTypes: instanceTypes(world.catalogue), now: NOW });
  return solve(frozen, 'provisionable', optionsOf(world));
}

/** All that was decided, the words of errors aside. */
export function decided(results: Results) {
  const { newNodeClaims, existingNodes, podErrors } = ourDecision(results, WELL_KNOWN);
  const rejected = [...(results.rejected?.keys() ?? [])].map(nameOf).sort();
  const annotations = results.newNodeClaims.map((claim) => [claim.pods.map(nameOf).sort(), claim.annotations]);
  const waiting = [...results.podErrors].filter(([, { code }]) => WORDLESS.includes(code));
  return {
    newNodeClaims,
    existingNodes,
    podErrors,
    rejected,
    annotations: annotations.map((pair) => JSON.stringify(pair)).sort(),
    /** Errors that say that nothing is wrong with the pod itself. */
    waiting: waiting.map(([pod, { code }]) => `${nameOf(pod)} ${code}`).sort(),
  };
}

const WORDLESS: readonly string[] = ['DRA', 'ReservedOffering', 'NoNodePools'];

export function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}
