import { WELL_KNOWN_LABELS } from '../../apis/labels.ts';
import type { NodeOverlay } from '../../apis/node-overlay.ts';
import { nodeOverlayProblems } from '../../apis/node-overlay-problems.ts';
import type { LabelRules } from '../../apis/restricted-labels.ts';
import { Requirements } from '../requirements.ts';
import type { PoolAndTypes } from '../types.ts';
import { overlaidOfferings } from './overlaid-offerings.ts';
import { OverlayUpdates, weightOf } from './overlay-updates.ts';

/** Why an overlay is not in force. */
export interface OverlayRefusal {
  readonly reason: 'RuntimeValidation' | 'Conflict';
  readonly message: string;
}

export interface EvaluatedOverlays {
  readonly updates: OverlayUpdates;
  /** By name of the overlay; one that is in force is missing. */
  readonly refused: ReadonlyMap<string, OverlayRefusal>;
}

const CONFLICT: OverlayRefusal = { reason: 'Conflict', message: 'conflict with another overlay' };

/**
 * What the overlays change about what the pools can buy. An overlay is in force for all pools or, when it is invalid or in
 * conflict with one before it, for none. Behaviour of upstream's pkg/controllers/nodeoverlay (karpenter-core.md 4.12).
 *
 * @param pools with their types as the provider sells them.
 */
export function evaluateOverlays(
  overlays: readonly NodeOverlay[],
  pools: readonly PoolAndTypes[],
  rules: LabelRules,
): EvaluatedOverlays {
  const wellKnown = new Set([...WELL_KNOWN_LABELS, ...rules.wellKnownLabels]);
  const updates = new OverlayUpdates(pools.map(({ nodePool }) => nodePool.metadata.name));
  const refused = new Map<string, OverlayRefusal>();
  for (const overlay of [...overlays].sort(byPriority)) {
    const problems = nodeOverlayProblems(overlay, rules);
    if (problems.length > 0) {
      refused.set(overlay.metadata.name, { reason: 'RuntimeValidation', message: problems.join('; ') });
      continue;
    }
    const selected = Requirements.fromItems(overlay.spec.requirements);
    const targets = pools.flatMap(({ nodePool, instanceTypes }) =>
      instanceTypes.flatMap((type) => {
        const offerings = overlaidOfferings(nodePool, type, selected, wellKnown);
        return offerings.length === 0 ? [] : [{ pool: nodePool.metadata.name, type, offerings }];
      }),
    );
    if (targets.some(({ pool, type, offerings }) => updates.conflicts(pool, type, offerings, overlay))) {
      refused.set(overlay.metadata.name, CONFLICT);
      continue;
    }
    for (const { pool, type, offerings } of targets) updates.add(pool, type, offerings, overlay);
  }
  return { updates, refused };
}

/** Greater weight first, then the later name. */
function byPriority(a: NodeOverlay, b: NodeOverlay): number {
  return weightOf(b) - weightOf(a) || (a.metadata.name < b.metadata.name ? 1 : -1);
}
