import { LABEL_ZONE } from '../apis/labels.ts';
import type { Pod } from '../kube/objects.ts';
import type { PodShape } from './pod-shape.ts';
import type { Requirement } from './requirement.ts';
import type { Topology } from './topology.ts';

/** In place of a zone's name: of several, any will do; none will do. */
const FLEXIBLE = 'flexible';
const NONE = 'none';

/** How many of the pods that wait are bound to which zone, before any of them has a place (karpenter-core.md 4.11.15). */
export function effectiveZones(
  items: readonly { readonly pod: Pod; readonly shape: PodShape }[],
  topology: Topology,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const known = new Map<PodShape, string>();
  for (const { pod, shape } of items) {
    if (pod.status?.phase !== 'Pending') continue;
    const zone = known.get(shape) ?? effectiveZone(shape, topology);
    known.set(shape, zone);
    counts.set(zone, (counts.get(zone) ?? 0) + 1);
  }
  return counts;
}

/** What the pod insists on, the zones of its volumes, and what its rules about other pods allow, taken together. */
function effectiveZone(shape: PodShape, topology: Topology): string {
  const allowed = topology.domainsFor(shape, LABEL_ZONE);
  if (allowed === 'none') return NONE;
  const own = shape.strict.find(LABEL_ZONE);
  const ofVolumes = volumeZones(shape);
  const candidates = own?.operator === 'In' ? own.values : (ofVolumes ?? allowed);
  if (!candidates) return FLEXIBLE;
  const left = [...candidates].filter(
    (zone) => (own?.has(zone) ?? true) && (ofVolumes?.has(zone) ?? true) && (allowed?.has(zone) ?? true),
  );
  const [one] = left;
  if (one === undefined) return NONE;
  return left.length === 1 ? one : FLEXIBLE;
}

/** The zones of all alternatives that the pod's volumes leave; undefined when one of them names none. */
function volumeZones({ volumeAlternatives = [] }: PodShape): ReadonlySet<string> | undefined {
  const zones = volumeAlternatives.map(({ set }): Requirement | undefined => set.requirements.find(LABEL_ZONE));
  if (zones.length === 0 || zones.some((zone) => zone?.operator !== 'In')) return undefined;
  return new Set(zones.flatMap((zone) => [...(zone?.values ?? [])]));
}
