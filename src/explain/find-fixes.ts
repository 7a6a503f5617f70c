/** The smallest edits that let a pod fit, each tried by solving again with it. */
import type { NodePool } from '../apis/node-pool.ts';
import type { Pod } from '../kube/objects.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { PodError, PoolAndTypes, Reason, Results, TargetFailure, World } from '../scheduling/types.ts';
import { type Edit, type EditReport, editReport } from './edit.ts';
import type { EditContext } from './edit-context.ts';
import type { Solve } from './solve.ts';
import { suggestEdits } from './suggest-edits.ts';

/** Pools looked at, nearest first; edits made together; trials in all: enough to find a fix, few enough to stay quick. */
const POOLS = 3;
const MOST_EDITS = 3;
const FIXES = 3;
const TRIALS = 40;
/** On a large cluster each trial takes longer. */
const LARGE_CLUSTER = 500;
const TRIALS_ON_LARGE = 12;

/** Edits that make the pod fit when they are made together. */
export interface Fix {
  /** The pool that takes the pod then; the one that was asked about when it fits on a node that is there. */
  readonly nodePool: string;
  /** The node that takes it then, if it is there already. */
  readonly node?: string;
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

/** Pod and pool with some edits made, and what still keeps one from the other. */
interface Found {
  readonly edits: readonly Edit[];
  readonly taker: Pick<Fix, 'nodePool' | 'node'>;
}

interface Attempt {
  readonly pod: Pod;
  readonly nodePool: NodePool;
  readonly edits: readonly Edit[];
  readonly reasons: readonly Reason[];
}

/** Fixes with the fewest edits first; empty when nothing that was tried helps. */
export function findFixes(input: FixInput): readonly Fix[] {
  const { world, targets } = input;
  const budget = { trials: world.nodes.length > LARGE_CLUSTER ? TRIALS_ON_LARGE : TRIALS };
  const fixes = new Map<string, Fix>();
  for (const target of targets.filter(({ kind }) => kind === 'NodePool').slice(0, POOLS)) {
    const pool = world.pools.find(({ nodePool }) => nodePool.metadata.name === target.name);
    if (!pool) continue;
    for (const { edits, taker } of fixesFor(pool, target.reasons, input, budget)) {
      const fix = { ...taker, edits: edits.map(editReport) };
      const key = JSON.stringify(fix.edits);
      if (!fixes.has(key)) fixes.set(key, fix);
    }
  }
  return [...fixes.values()].sort((a, b) => a.edits.length - b.edits.length).slice(0, FIXES);
}

/** Breadth first: all fixes of one edit, or else of two, or else of three. */
function fixesFor(
  pool: PoolAndTypes,
  reasons: readonly Reason[],
  input: FixInput,
  budget: { trials: number },
): readonly Found[] {
  let frontier: readonly Attempt[] = [{ pod: input.pod, nodePool: pool.nodePool, edits: [], reasons }];
  for (let depth = 0; depth < MOST_EDITS && frontier.length > 0; depth++) {
    const found: Found[] = [];
    const next: Attempt[] = [];
    for (const attempt of frontier) {
      for (const edit of editsOf(attempt, pool, input)) {
        if (budget.trials-- <= 0) return found;
        if (edit.family !== undefined && found.some(({ edits }) => edits.at(-1)?.family === edit.family)) continue;
        const edited = apply(attempt, edit);
        const results = trial(edited, pool, input);
        const error = results.podErrors.get(edited.pod);
        if (!error) found.push({ edits: edited.edits, taker: takerOf(edited.pod, results, pool) });
        else next.push({ ...edited, reasons: reasonsOf(error, pool) });
      }
    }
    if (found.length > 0) return found;
    frontier = next;
  }
  return [];
}

function editsOf({ pod, nodePool, edits, reasons }: Attempt, pool: PoolAndTypes, input: FixInput): readonly Edit[] {
  const context: EditContext = { pod, pool: nodePool, instanceTypes: pool.instanceTypes, closest: input.closest };
  const made = new Set(edits.map(({ object, path }) => `${object} ${path}`));
  const suggested = new Map<string, Edit>();
  for (const edit of reasons.flatMap((reason) => suggestEdits(reason, context))) {
    const key = `${edit.object} ${edit.path}`;
    if (!made.has(key) && !suggested.has(`${key} ${edit.to}`)) suggested.set(`${key} ${edit.to}`, edit);
  }
  return [...suggested.values()];
}

function apply({ pod, nodePool, edits, reasons }: Attempt, edit: Edit): Attempt {
  return {
    pod: edit.pod?.(pod) ?? pod,
    nodePool: edit.nodePool?.(nodePool) ?? nodePool,
    edits: [...edits, edit],
    reasons,
  };
}

/** Where the pod goes with the edits made, or what still keeps it out. */
function trial({ pod, nodePool }: Attempt, pool: PoolAndTypes, { world, solve, pod: original }: FixInput) {
  const pools = world.pools.map((other) => (other === pool ? { ...pool, nodePool } : other));
  const pods = world.pods.map((other) => (other === original ? pod : other));
  return solve({ ...world, pools, pods }, [pod], true);
}

function takerOf(pod: Pod, results: Results, asked: PoolAndTypes): Found['taker'] {
  const claim = results.newNodeClaims.find(({ pods }) => pods.includes(pod));
  if (claim) return { nodePool: claim.nodePool.metadata.name };
  const placement = results.existingNodes.find(({ pods }) => pods.includes(pod));
  const nodePool = asked.nodePool.metadata.name;
  return placement ? { nodePool, node: stateNodeName(placement.node) } : { nodePool };
}

function reasonsOf(error: PodError, { nodePool }: PoolAndTypes): readonly Reason[] {
  const { name } = nodePool.metadata;
  return error.targets?.find((target) => target.kind === 'NodePool' && target.name === name)?.reasons ?? [];
}
