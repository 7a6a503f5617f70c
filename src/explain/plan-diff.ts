import type { NodeOverlay } from '../apis/node-overlay.ts';
import { nodeOverlayProblems } from '../apis/node-overlay-problems.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { nodePoolProblems } from '../apis/node-pool-problems.ts';
import type { LabelRules } from '../apis/restricted-labels.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { Analysis, ProviderRules } from './analysis.ts';
import { appliedTo, completed, isSameObject, unusable, usable, withEdits } from './edited-objects.ts';
import { type Edit, type PlanDiffReport, planDiffReport } from './plan-diff-report.ts';
import { poolOfferings } from './pool-offerings.ts';

const STATIC_GATE_OFF = 'the feature gate StaticCapacity is off, and without it a pool with replicas does nothing';

/** Whether the controller looks at these kinds. */
interface Gates {
  readonly NodeOverlay: boolean;
  readonly CapacityBuffer: boolean;
}

export interface PlanDiffInput {
  readonly objects: readonly KubeObject[];
  /** Edits with what they change and what the API says of them. */
  readonly edits: readonly Omit<Edit, 'problems'>[];
  /** Pod templates that come along with the edits. */
  readonly templates: readonly KubeObject[];
  readonly analyse: (objects: readonly KubeObject[], gates: Gates) => Analysis;
  readonly gates: Gates;
  readonly rules: ProviderRules;
}

/** Applies to a copy of the cluster what the API would take of the edits, and compares the two. */
export function planDiff({ objects, edits, templates, analyse, gates: known, rules }: PlanDiffInput): PlanDiffReport {
  const labelRules: LabelRules = { restrictedLabelDomains: new Set(), ...rules };
  const stored = objects.map(completed);
  const isEdited = (kind: string): boolean => edits.some((edit) => (edit.object ?? edit.stored)?.kind === kind);
  const gates = {
    NodeOverlay: known.NodeOverlay || isEdited('NodeOverlay'),
    CapacityBuffer: known.CapacityBuffer || isEdited('CapacityBuffer'),
  };
  const before = analyse(stored, gates);
  const judged = edits.map(
    (edit): Edit => ({ ...edit, problems: edit.object ? problemsOf(edit.object, labelRules) : [] }),
  );
  const taken = judged.filter(({ refusals }) => refusals.length === 0);
  const applied = taken.flatMap(({ object, problems }) => {
    if (!object) return [];
    const result = appliedTo(
      stored.find((candidate) => isSameObject(candidate, object)),
      object,
    );
    if (object.kind !== 'NodePool') return [result];
    return [problems.length > 0 ? unusable(result as NodePool, problems) : usable(result as NodePool)];
  });
  const after = analyse(
    withEdits(stored, {
      apply: [...applied, ...templates],
      remove: taken.flatMap(({ object, stored: gone }) => (object || !gone ? [] : [gone])),
      now: before.world.now,
    }),
    gates,
  );
  return planDiffReport({
    before,
    after,
    edits: judged.map((edit) => ({ ...edit, problems: [...edit.problems, ...emptyPool(edit, after)] })),
    assumptions: (['NodeOverlay', 'CapacityBuffer'] as const)
      .filter((gate) => gates[gate] && !known[gate])
      .map((gate) => `the controller's feature gate ${gate} is on: nothing in the cluster tells`),
  });
}

function problemsOf(object: KubeObject, rules: LabelRules): readonly string[] {
  if (object.kind === 'NodePool') return nodePoolProblems(object as NodePool, rules);
  return object.kind === 'NodeOverlay' ? nodeOverlayProblems(object as NodeOverlay, rules) : [];
}

/** What the controller only finds out when it wants to launch something. */
function emptyPool({ object, refusals, problems }: Edit, after: Analysis): readonly string[] {
  if (object?.kind !== 'NodePool' || refusals.length > 0 || problems.length > 0) return [];
  const pool = after.world.pools.find(({ nodePool }) => nodePool.metadata.name === object.metadata.name);
  if (!pool) return [];
  const gate = pool.nodePool.spec.replicas !== undefined && !after.gates.StaticCapacity ? [STATIC_GATE_OFF] : [];
  return [...gate, ...poolOfferings(pool, after.wellKnown).problems];
}
