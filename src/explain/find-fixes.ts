/** The smallest edits that let a pod fit, each tried by solving again with it. */
import type { Pod } from '../kube/objects.ts';
import type { PoolAndTypes, TargetFailure, World } from '../scheduling/types.ts';
import { type Edit, type EditReport, editReport } from './edit.ts';
import type { Solve } from './solve.ts';
import { type EditContext, suggestEdits } from './suggest-edits.ts';

/** Pools looked at, nearest first, and combinations tried: enough to find a fix, few enough to stay quick. */
const POOLS = 3;
const ATTEMPTS = 24;
const FIXES = 3;

/** Edits that make the pod fit when they are made together. */
export interface Fix {
  readonly nodePool: string;
  readonly edits: readonly EditReport[];
}

export interface FixInput {
  readonly pod: Pod;
  readonly world: World;
  /** Nearest miss first. */
  readonly targets: readonly TargetFailure[];
  readonly solve: Solve;
  readonly closest: EditContext['closest'];
}

/** Fixes with the fewest edits first; empty when nothing that was tried helps. */
export function findFixes({ pod, world, targets, solve, closest }: FixInput): readonly Fix[] {
  const fixes: Fix[] = [];
  const known = new Set<string>();
  let attempts = 0;
  for (const target of targets.filter(({ kind }) => kind === 'NodePool').slice(0, POOLS)) {
    const pool = world.pools.find(({ nodePool }) => nodePool.metadata.name === target.name);
    if (!pool) continue;
    const { nodePool, instanceTypes } = pool;
    const context: EditContext = { pod, pool: nodePool, instanceTypes, closest };
    const alternatives = target.reasons.map((reason) => suggestEdits(reason, context));
    for (const edits of combinations(alternatives)) {
      if (attempts++ >= ATTEMPTS || fixes.length >= FIXES) return sorted(fixes);
      const reports = edits.map(editReport);
      const key = JSON.stringify(reports);
      if (known.has(key) || !fits(edits, { pod, world, solve, pool })) continue;
      known.add(key);
      fixes.push({ nodePool: target.name, edits: reports });
    }
  }
  return sorted(fixes);
}

const sorted = (fixes: readonly Fix[]): Fix[] => fixes.toSorted((a, b) => a.edits.length - b.edits.length);

/** One edit of each reason, the first choices first; a reason without edits is left to the others. */
function combinations(alternatives: readonly (readonly Edit[])[]): readonly (readonly Edit[])[] {
  const useful = alternatives.filter((edits) => edits.length > 0);
  if (useful.length === 0) return [];
  let result: (readonly Edit[])[] = [[]];
  for (const edits of useful) {
    result = result.flatMap((chosen) => edits.map((edit) => (has(chosen, edit) ? chosen : [...chosen, edit])));
  }
  return result.slice(0, ATTEMPTS);
}

function has(chosen: readonly Edit[], edit: Edit): boolean {
  return chosen.some((other) => other.object === edit.object && other.path === edit.path);
}

interface Trial extends Pick<FixInput, 'pod' | 'world' | 'solve'> {
  readonly pool: PoolAndTypes;
}

function fits(edits: readonly Edit[], { pod, world, solve, pool }: Trial): boolean {
  const edited = edits.reduce((p, edit) => edit.pod?.(p) ?? p, pod);
  const nodePool = edits.reduce((p, edit) => edit.nodePool?.(p) ?? p, pool.nodePool);
  const pools = world.pools.map((other) => (other === pool ? { ...pool, nodePool } : other));
  const pods = world.pods.map((other) => (other === pod ? edited : other));
  return solve({ ...world, pools, pods }, [edited], false).podErrors.size === 0;
}
